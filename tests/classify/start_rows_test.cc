#include "classify/start_rows.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::Each;
using testing::ElementsAre;

FeatureIndex Index() {
  FeatureParts parts;
  parts.options.word_ngrams = 3;
  parts.options.min_n = 2;
  parts.options.max_n = 2;
  parts.words = {"the", "old", "sea"};
  parts.word_ngrams = {{0, 1}, {3, 2}};  // the old, the old sea
  parts.character_ngrams = {"se"};
  const auto index = FeatureIndex::Of(std::move(parts));
  EXPECT_TRUE(index.ok()) << index.status();
  return *index;
}

std::vector<float> RowOf(const PaddedMatrix& matrix, size_t row) {
  return {matrix.Row(row), matrix.Row(row) + matrix.cols()};
}

TEST(StartRowsTest, WordNgramsAreTheMeansOfTheirWords) {
  const WordVectors vectors =
      MakeVectors({{"sea", {3, 6}}, {"the", {6, 0}}, {"old", {0, 3}}});
  PaddedMatrix input(6, 2);
  const std::vector<bool> given = StartRows(Index(), &vectors, 1, 2, &input);
  EXPECT_THAT(given, ElementsAre(true, true, true, false, false, false));
  EXPECT_THAT(RowOf(input, 0), ElementsAre(6, 0));
  EXPECT_THAT(RowOf(input, 2), ElementsAre(3, 6));
  EXPECT_THAT(RowOf(input, 3), ElementsAre(3, 1.5));
  EXPECT_THAT(RowOf(input, 4), ElementsAre(3, 3));
  EXPECT_THAT(RowOf(input, 5), Each(0));
}

TEST(StartRowsTest, WordsWithoutAVectorAreDrawn) {
  const WordVectors vectors = MakeVectors({{"the", {6, 0}}});
  PaddedMatrix input(6, 2);
  const std::vector<bool> given = StartRows(Index(), &vectors, 1, 1, &input);
  EXPECT_THAT(given, ElementsAre(true, false, false, false, false, false));
  PaddedMatrix drawn(6, 2);
  StartRows(Index(), nullptr, 1, 1, &drawn);
  EXPECT_EQ(RowOf(input, 1), RowOf(drawn, 1));
}

TEST(StartRowsTest, RowsAreDrawnByTheSeedAndNotByThreads) {
  PaddedMatrix first(6, 3), second(6, 3), other(6, 3);
  StartRows(Index(), nullptr, 1, 1, &first);
  StartRows(Index(), nullptr, 1, 2, &second);
  StartRows(Index(), nullptr, 2, 1, &other);
  for (size_t row = 0; row < 6; ++row) {
    EXPECT_EQ(RowOf(first, row), RowOf(second, row));
    EXPECT_NE(RowOf(first, row), RowOf(other, row));
    EXPECT_THAT(RowOf(first, row), Each(testing::AllOf(testing::Ge(-1.0f / 3),
                                                       testing::Lt(1.0f / 3))));
  }
}

}  // namespace
}  // namespace firth
