#include "lm/learn/text_task.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/model/language_model.h"

namespace firth {
namespace {

using testing::ElementsAre;

constexpr uint32_t kEnd = TokenStream::kSentenceEnd;
constexpr uint32_t kB = kBeginSentenceId;
constexpr uint32_t kE = kEndSentenceId;

const std::vector<uint32_t> kTokens = {0, 1, 2, kEnd, 3, kEnd, 4, 5, kEnd};
const TokenStream kText(kTokens, 6, nullptr);

// Words are shifted by the marks: word 0 is 3.
TEST(TextRowsTest, EachDirectionReadsItsOwnOrder) {
  TextRows rows(kText, 3, 1);
  EXPECT_EQ(rows.tokens(), 9u);
  TextChunk chunk;
  rows.Fill(6, &chunk);
  EXPECT_THAT(chunk.forward.inputs, ElementsAre(kB, 3, 4, 5, kB, 6));
  EXPECT_THAT(chunk.forward.targets, ElementsAre(3, 4, 5, kE, 6, kE));
  // The last row is the first step.
  EXPECT_THAT(chunk.backward.inputs, ElementsAre(6, kE, 3, 4, 5, kE));
  EXPECT_THAT(chunk.backward.targets, ElementsAre(kB, 6, kB, 3, 4, 5));
}

TEST(TextRowsTest, RowsGoOnWhereTheyWereAndBeginAgain) {
  TextRows rows(kText, 3, 1);
  TextChunk chunk;
  rows.Fill(7, &chunk);
  rows.Fill(4, &chunk);
  EXPECT_THAT(chunk.forward.inputs, ElementsAre(7, 8, kB, 3));
  EXPECT_THAT(chunk.forward.targets, ElementsAre(8, kE, 3, 4));
}

TEST(TextRowsTest, PiecesAreOfAboutOneLength) {
  TextRows rows(kText, 3, 2);
  ASSERT_EQ(rows.rows(), 2u);
  TextChunk chunk;
  rows.Fill(6, &chunk);
  std::vector<uint32_t> first, second;
  for (size_t t = 0; t < 6; ++t) {
    first.push_back(chunk.forward.inputs[2 * t]);
    second.push_back(chunk.forward.inputs[2 * t + 1]);
  }
  EXPECT_THAT(first, ElementsAre(kB, 3, 4, 5, kB, 3));
  EXPECT_THAT(second, ElementsAre(kB, 6, kB, 7, 8, kB));
}

TEST(TextRowsTest, WholeSentencesHaveBothMarks) {
  TextRows rows(kText, 3, 2, /*whole=*/true);
  EXPECT_EQ(rows.tokens(), TextRows(kText, 3, 2).tokens() + 3);
  std::vector<uint32_t> ids;
  rows.FillWhole(6, &ids);
  EXPECT_THAT(ids, ElementsAre(kB, 3, 4, 5, kE, kB, kB, 6, kE, kB, 7, 8));
  TextRows others(kText, 3, 2, /*whole=*/true);
  EXPECT_TRUE(others.SetPositions(rows.Positions()));
  std::vector<uint32_t> found;
  rows.FillWhole(4, &ids);
  others.FillWhole(4, &found);
  EXPECT_EQ(found, ids);
}

TEST(TextRowsTest, ThereAreNoMoreRowsThanSentences) {
  TextRows rows(kText, 3, 100);
  EXPECT_EQ(rows.rows(), 3u);
}

TEST(TextRowsTest, PositionsBringARowBack) {
  TextRows rows(kText, 3, 2);
  TextChunk skipped, expected, found;
  rows.Fill(3, &skipped);
  const std::vector<uint64_t> positions = rows.Positions();
  rows.Fill(4, &expected);
  TextRows others(kText, 3, 2);
  EXPECT_TRUE(others.SetPositions(positions));
  others.Fill(4, &found);
  EXPECT_EQ(found.forward.inputs, expected.forward.inputs);
  EXPECT_EQ(found.backward.targets, expected.backward.targets);
  EXPECT_FALSE(others.SetPositions({0, 0}));
  EXPECT_FALSE(others.SetPositions({0, 9, 1, 0}));
  EXPECT_FALSE(others.SetPositions({2, 0, 2, 0}));
}

}  // namespace
}  // namespace firth
