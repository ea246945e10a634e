// Vocabularies that are there before the text: known words that others join,
// and given ones that none does.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/read_plans.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr uint32_t kEnd = TokenStream::kSentenceEnd;

struct KnownCase {
  KnownCounts policy;
  uint64_t max_vocab;
  std::vector<std::pair<std::string, uint64_t>> counts;
  std::string text;
};

TEST(KnownWordsTest, KnownWordsStayAndFrequentOthersJoinThem) {
  const absl::string_view known[] = {"one", "two", "three"};
  const KnownCase cases[] = {
      {KnownCounts::kAdd,
       0,
       {{"one", 12}, {"two", 3}, {"new", 3}, {"three", 1}, {"also", 2}},
       "new one also new\none two new also\n"},
      {KnownCounts::kReplace,
       0,
       {{"new", 3}, {"one", 2}, {"also", 2}, {"two", 1}, {"three", 0}},
       "new one also new\none two new also\n"},
      {KnownCounts::kKeep,
       4,
       {{"one", 10}, {"new", 3}, {"two", 2}, {"three", 1}},
       "new one new\none two new\n"},
      {KnownCounts::kKeep,
       2,
       {{"one", 10}, {"two", 2}, {"three", 1}},
       "one\none two\n"}};
  for (const KnownCase& c : cases) {
    ReadPlan plan = PlanFor("new one also new rare\n one two new also\n", 2);
    plan.vocabulary_options.max_vocab = c.max_vocab;
    plan.known = {Vocabulary::Create(known, {10, 2, 1}).value(), c.policy};
    const Corpus corpus = Read(plan);
    auto counts = CountsOf(corpus.vocabulary);
    auto expected = c.counts;
    std::stable_sort(
        expected.begin(), expected.end(),
        [](const auto& a, const auto& b) { return a.second > b.second; });
    EXPECT_EQ(counts, expected);
    EXPECT_EQ(TextOf(corpus), c.text);
    EXPECT_EQ(corpus.report.types_known, 3u);
    EXPECT_EQ(corpus.report.types_kept, counts.size());
    EXPECT_EQ(corpus.report.words_kept, corpus.tokens->num_words());
    ExpectAccounted(corpus.report);
  }
}

TEST(KnownWordsTest, KnownWordsWithoutCountsGetThoseOfTheText) {
  const absl::string_view known[] = {"one", "two"};
  ReadPlan plan = PlanFor("two two one\n");
  plan.known = {Vocabulary::Create(known, {}).value(), KnownCounts::kKeep};
  EXPECT_THAT(CountsOf(Read(plan).vocabulary),
              ElementsAre(std::pair<std::string, uint64_t>("two", 2),
                          std::pair<std::string, uint64_t>("one", 1)));
}

TEST(KnownWordsTest, TextWithoutAnyWordToKeepIsRefused) {
  const absl::string_view known[] = {"one", "two"};
  ReadPlan plan = PlanFor("a a b\n", 3);
  plan.known = {Vocabulary::Create(known, {1, 1}).value()};
  EXPECT_THAT(ReadAsPlanned(plan, {}).status().message(),
              HasSubstr("no word is known or occurs 3 times (min-count); the "
                        "most frequent word, \"a\", has the count 2"));
}

TEST(KnownWordsTest, KnownWordsThatStandTwiceAreRefused) {
  ReadPlan plan = PlanFor("one two\n");
  plan.vocabulary_options.min_count = 1;
  plan.known = {*Vocabulary::CreateLazily({"one", "two", "one"}, {}),
                KnownCounts::kAdd};
  EXPECT_EQ(ReadAsPlanned(plan, {}).status().message(),
            "entry 2: duplicate word \"one\", which is also entry 0");
}

TEST(KnownWordsTest, AGivenVocabularyKeepsItsOrder) {
  const Vocabulary given =
      *Vocabulary::Create({"rare", "the", "never"}, {7, 5, 3});
  ReadPlan plan = PlanFor("the cat\nthe mat\nrare dog\ncat\n");
  plan.vocabulary = &given;
  const Corpus corpus = Read(plan);
  EXPECT_EQ(TextOf(corpus), "the\nthe\nrare\n");
  EXPECT_THAT(corpus.tokens->tokens(), ElementsAre(1, kEnd, 1, kEnd, 0, kEnd));
  EXPECT_THAT(corpus.vocabulary.counts(), ElementsAre(7, 5, 3));
  EXPECT_EQ(corpus.report.dropped_not_given, 4u);
  EXPECT_EQ(corpus.report.words_kept, 3u);
  EXPECT_EQ(corpus.report.types_seen, 5u);
  EXPECT_EQ(corpus.report.types_kept, 3u);
  ExpectAccounted(corpus.report);
}

TEST(KnownWordsTest, AGivenVocabularyWithoutCountsGetsThem) {
  const Vocabulary given = *Vocabulary::Create({"rare", "the", "never"}, {});
  ReadPlan plan = PlanFor("the cat\nthe mat\nrare dog\n");
  plan.vocabulary = &given;
  const Corpus corpus = Read(plan);
  EXPECT_THAT(corpus.vocabulary.counts(), ElementsAre(1, 2, 0));
}

TEST(KnownWordsTest, FailsWhenNoGivenWordOccurs) {
  const Vocabulary given = *Vocabulary::Create({"never"}, {});
  ReadPlan plan = PlanFor("the cat\n");
  plan.vocabulary = &given;
  EXPECT_THAT(ReadAsPlanned(plan, {}).status().message(),
              HasSubstr("none of the 1 words of the given vocabulary occurs in "
                        "the 2 tokens"));
}

}  // namespace
}  // namespace firth
