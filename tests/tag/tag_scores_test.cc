// Counts worked out by hand.

#include "firth/tag_scores.h"

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

struct ScoreCase {
  const char* name;
  const char* gold;  // sentences divided by "|"
  const char* predicted;
  FoundCounts counts;  // gold, found, correct
  uint64_t correct_tags;
};

constexpr ScoreCase kCases[] = {
    {"all right", "B-NP I-NP O", "B-NP I-NP O", {1, 1, 1}, 3},
    {"nothing found", "B-NP I-NP O", "O O O", {1, 0, 0}, 1},
    {"end too early", "B-NP I-NP O", "B-NP O O", {1, 1, 0}, 2},
    {"begin too late", "B-NP I-NP O", "O B-NP O", {1, 1, 0}, 1},
    {"another type", "B-NP I-NP O", "B-VP I-VP O", {1, 1, 0}, 1},
    {"type changes inside", "B-NP I-NP", "B-NP I-VP", {1, 2, 0}, 1},
    // IOB1 marks a begin only after a neighbour of the same type.
    {"IOB1 is IOB2", "I-NP I-NP B-NP O", "B-NP I-NP B-NP O", {2, 2, 2}, 3},
    {"an I alone is a span", "O I-NP O", "O B-NP O", {1, 1, 1}, 2},
    // IOE2: every span ends with E. IOE1: only before another of its type.
    {"IOE2 is IOB2", "I-NP E-NP E-NP O", "B-NP I-NP B-NP O", {2, 2, 2}, 1},
    {"IOE1 is IOB2", "I-NP E-NP I-NP O", "B-NP I-NP B-NP O", {2, 2, 2}, 1},
    {"BIOES is IOB2",
     "B-A I-A E-A S-B S-B O",
     "B-A I-A I-A B-B B-B O",
     {3, 3, 3},
     3},
    {"S splits what stands around it",
     "I-A S-A I-A",
     "B-A B-A B-A",
     {3, 3, 3},
     0},
    {"a span ends with its sentence", "B-NP|I-NP", "B-NP|B-NP", {2, 2, 2}, 1},
    {"one span found as two", "B-NP I-NP I-NP", "B-NP B-NP I-NP", {1, 2, 0}, 2},
    {"types with dashes", "B-a-b I-a-b", "B-a-b I-a-c", {1, 2, 0}, 1},
};

TagScores Score(absl::string_view gold, absl::string_view predicted) {
  TagScorer scorer;
  const std::vector<std::string> golds = absl::StrSplit(gold, '|');
  const std::vector<std::string> guesses = absl::StrSplit(predicted, '|');
  for (size_t i = 0; i < golds.size(); ++i) {
    const std::vector<std::string> a = absl::StrSplit(golds[i], ' ');
    const std::vector<std::string> b = absl::StrSplit(guesses[i], ' ');
    scorer.Add(a, b);
  }
  return scorer.scores();
}

TEST(TagScoresTest, CountsAreThoseOfConlleval) {
  for (const ScoreCase& test : kCases) {
    SCOPED_TRACE(test.name);
    const TagScores scores = Score(test.gold, test.predicted);
    EXPECT_TRUE(scores.has_spans);
    EXPECT_EQ(scores.spans.gold, test.counts.gold);
    EXPECT_EQ(scores.spans.found, test.counts.found);
    EXPECT_EQ(scores.spans.correct, test.counts.correct);
    EXPECT_EQ(scores.correct, test.correct_tags);
  }
}

TEST(TagScoresTest, SpansAreFromTheirFirstTokenToBehindTheirLast) {
  const std::vector<TagSpan> spans = {{1, 3, "PER"}, {4, 5, "a-b"}};
  EXPECT_EQ(SpansOf({"O", "B-PER", "I-PER", "O", "B-a-b"}), spans);
  EXPECT_EQ(SpansOf({"O", "B-PER", "E-PER", "O", "S-a-b"}), spans);
  EXPECT_TRUE(SpansOf({"O", "O"}).empty());
  EXPECT_TRUE(SpansOf({}).empty());
}

TEST(TagScoresTest, RatiosAndTypes) {
  // NP: 2 gold, 2 found, 1 correct. VP: 1 gold, 1 found, 1 correct. PP: found.
  const TagScores scores =
      Score("B-NP I-NP B-VP O B-NP O", "B-NP I-NP B-VP B-PP O B-NP");
  EXPECT_EQ(scores.tokens, 6u);
  EXPECT_DOUBLE_EQ(scores.accuracy(), 3.0 / 6);
  EXPECT_DOUBLE_EQ(scores.spans.precision(), 2.0 / 4);
  EXPECT_DOUBLE_EQ(scores.spans.recall(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(scores.spans.f1(), 4.0 / 7);
  ASSERT_EQ(scores.types.size(), 3u);
  EXPECT_DOUBLE_EQ(scores.types.at("NP").f1(), 0.5);
  EXPECT_DOUBLE_EQ(scores.types.at("VP").f1(), 1);
  EXPECT_DOUBLE_EQ(scores.types.at("PP").f1(), 0);
}

TEST(TagScoresTest, PartsOfSpeechAreNoSpans) {
  EXPECT_FALSE(Score("NN VB", "NN NN").has_spans);
  EXPECT_FALSE(Score("O O", "O O").has_spans);
  EXPECT_FALSE(Score("B-NP NN", "B-NP NN").has_spans);
  EXPECT_FALSE(Score("nn-tl O", "nn-tl O").has_spans);
  EXPECT_EQ(TagScorer().scores().accuracy(), 0);
  EXPECT_TRUE(MarkSpans({"O", "B-NP"}));
  EXPECT_FALSE(MarkSpans({"O", "B-NP", "NN"}));
  EXPECT_FALSE(MarkSpans({"O", "B-"}));
  EXPECT_FALSE(MarkSpans({"O"}));
}

}  // namespace
}  // namespace firth
