#include "classify/train/classifier_tables.h"

#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::FloatNear;

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

// Less the mean of the three, (3, 3), and times SIF's weight: in a million
// tokens a word of 1,000 has a share of 1e-3 and the weight 1/2.
TEST(StartRowsTest, VectorsAreCenteredAndWeighed) {
  const WordVectors vectors =
      MakeVectors({{"the", {6, 0}}, {"old", {0, 3}}, {"sea", {3, 6}}},
                  {996'000, 3'000, 1'000});
  PaddedMatrix input(6, 2);
  const std::vector<bool> given = StartRows(Index(), &vectors, 1, 2, &input);
  EXPECT_THAT(given, ElementsAre(true, true, true, false, false, false));
  const auto is = [](float value) { return FloatNear(value, 1e-6f); };
  EXPECT_THAT(RowOf(input, 0),
              ElementsAre(is(3e-3f / 0.997f), is(-3e-3f / 0.997f)));
  EXPECT_THAT(RowOf(input, 1), ElementsAre(is(-0.75f), is(0)));
  EXPECT_THAT(RowOf(input, 2), ElementsAre(is(0), is(1.5f)));
}

// Of two words by Zipf's law, the first has the share 1 / (ln 2 + .577).
TEST(StartRowsTest, WithoutCountsTheRankTellsTheWeight) {
  const WordVectors vectors = MakeVectors({{"the", {1, 1}}, {"old", {-1, 1}}});
  PaddedMatrix input(6, 2);
  StartRows(Index(), &vectors, 1, 1, &input);
  const double share = 1 / (std::log(2.0) + .577);
  const auto of = [](double p) {
    return FloatNear(static_cast<float>(1e-3 / (1e-3 + p)), 1e-6f);
  };
  EXPECT_THAT(RowOf(input, 0), ElementsAre(of(share), 0));
  EXPECT_THAT(-RowOf(input, 1)[0], of(share / 2));
}

TEST(StartRowsTest, WordNgramsAreTheMeansOfTheirWords) {
  const WordVectors vectors =
      MakeVectors({{"sea", {3, 6}}, {"the", {6, 0}}, {"old", {0, 3}}});
  PaddedMatrix input(6, 2);
  StartRows(Index(), &vectors, 1, 2, &input);
  const auto value = [&](size_t row) { return RowOf(input, row)[0]; };
  EXPECT_FLOAT_EQ(value(3), (value(0) + value(1)) / 2);
  EXPECT_FLOAT_EQ(value(4), (value(0) + value(1) + value(2)) / 3);
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
