// Span corruption: the paper's example and its edges, and what is drawn.

#include "firth/span_corruption.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

CorruptedSentence Corrupt(const std::vector<std::string>& words,
                          const std::vector<WordSpan>& spans) {
  return CorruptSpans(
      std::vector<absl::string_view>(words.begin(), words.end()), spans);
}

struct SpanCase {
  const char* name;
  const char* words;
  std::vector<WordSpan> spans;
  const char* input;
  const char* target;
};

TEST(SpanCorruptionTest, MarksStandForSpans) {
  const SpanCase cases[] = {
      {"Raffel et al. 2020, figure 2",
       "Thank you for inviting me to your party last week",
       {{2, 4}, {8, 9}},
       "Thank you <extra_id_0> me to your party <extra_id_1> week",
       "<extra_id_0> for inviting <extra_id_1> last <extra_id_2>"},
      {"both ends",
       "a b c",
       {{0, 1}, {2, 3}},
       "<extra_id_0> b <extra_id_1>",
       "<extra_id_0> a <extra_id_1> c <extra_id_2>"},
      {"neighbours",
       "a b c",
       {{0, 1}, {1, 2}},
       "<extra_id_0> <extra_id_1> c",
       "<extra_id_0> a <extra_id_1> b <extra_id_2>"},
      {"all", "a b", {{0, 2}}, "<extra_id_0>", "<extra_id_0> a b <extra_id_1>"},
      {"none", "a b", {}, "a b", "<extra_id_0>"},
      {"no words", "", {}, "", "<extra_id_0>"}};
  for (const SpanCase& test : cases) {
    SCOPED_TRACE(test.name);
    const CorruptedSentence made =
        Corrupt(absl::StrSplit(test.words, ' ', absl::SkipEmpty()), test.spans);
    EXPECT_EQ(absl::StrJoin(made.input, " "), test.input);
    EXPECT_EQ(absl::StrJoin(made.target, " "), test.target);
  }
}

TEST(SpanCorruptionTest, AgreesWithGoldenData) {
  const char* const data = std::getenv("FIRTH_DATA");
  if (data == nullptr) GTEST_SKIP() << "FIRTH_DATA is not set";
  std::ifstream file(absl::StrCat(data, "/golden/t5_spans.json"));
  const nlohmann::json cases = nlohmann::json::parse(file);
  ASSERT_GE(cases.size(), 4u);
  for (const nlohmann::json& test : cases) {
    std::vector<WordSpan> spans;
    for (const auto& span : test["spans"]) spans.push_back({span[0], span[1]});
    const CorruptedSentence made = Corrupt(test["words"], spans);
    EXPECT_EQ(nlohmann::json(made.input), test["input"]);
    EXPECT_EQ(nlohmann::json(made.target), test["target"]);
  }
}

TEST(SpanCorruptionTest, AsMuchIsTakenOutAsTold) {
  for (const double share : {0.01, 0.15, 0.5, 0.99}) {
    for (const double mean : {1.0, 3.0, 1000.0}) {
      for (size_t words = 0; words < 70; ++words) {
        const auto spans =
            DrawSpans(words, {.share = share, .mean_length = mean}, words);
        if (words < 2) {
          EXPECT_TRUE(spans.empty());
          continue;
        }
        size_t out = 0, end = 0;
        for (const WordSpan& span : spans) {
          EXPECT_GT(span.begin, end);  // something stays before it
          EXPECT_GT(span.end, span.begin);
          out += span.end - span.begin;
          end = span.end;
        }
        // The last span ends the sentence: what stays stands before one.
        EXPECT_EQ(end, words);
        EXPECT_GE(out, 1u);
        EXPECT_LT(out, words);
        EXPECT_NEAR(static_cast<double>(out),
                    share * static_cast<double>(words), 1);
        if (mean == 1000) {
          EXPECT_EQ(spans.size(), 1u);
        }
      }
    }
  }
}

// Two spans of four words among eight: 3 ways to cut the four that are taken
// out, and 3 the four that stay.
TEST(SpanCorruptionTest, AllWaysAreEquallyLikely) {
  constexpr int kDraws = 9000;
  std::map<std::string, int> counts;
  for (uint64_t sentence = 0; sentence < kDraws; ++sentence) {
    std::string way;
    for (const WordSpan& span :
         DrawSpans(8, {.share = 0.5, .mean_length = 2}, sentence)) {
      absl::StrAppend(&way, span.begin, "-", span.end, " ");
    }
    ++counts[way];
  }
  EXPECT_EQ(counts.size(), 9u);
  for (const auto& [way, count] : counts) {
    EXPECT_NEAR(count, kDraws / 9, 150) << way;  // deviation 30
  }
}

TEST(SpanCorruptionTest, TheSeedAndTheSentenceDecide) {
  const auto all = [](uint64_t seed) {
    std::vector<WordSpan> spans;
    for (uint64_t sentence = 0; sentence < 20; ++sentence) {
      for (const WordSpan& span : DrawSpans(40, {.seed = seed}, sentence)) {
        spans.push_back(span);
      }
    }
    return spans;
  };
  EXPECT_EQ(all(1), all(1));
  EXPECT_FALSE(all(1) == all(2));
  EXPECT_FALSE(DrawSpans(40, {}, 0) == DrawSpans(40, {}, 1));
}

TEST(SpanCorruptionTest, MarksAreKnown) {
  for (const char* const word : {"<extra_id_0>", "<extra_id_17>"}) {
    EXPECT_TRUE(IsSpanMark(word));
  }
  for (const char* const word :
       {"", "<extra_id_>", "<extra_id_1", "extra_id_1>", "<extra_id_x>",
        "a<extra_id_1>"}) {
    EXPECT_FALSE(IsSpanMark(word)) << word;
  }
}

}  // namespace
}  // namespace firth
