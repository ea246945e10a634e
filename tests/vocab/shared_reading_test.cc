// Ranks that read a share of the text each come to what one reader comes to.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "corpus/token_stream.h"
#include "firth/phrases.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/compress.h"
#include "support/read_plans.h"
#include "support/temp_files.h"
#include "support/thread_ranks.h"
#include "vocab/corpus_reader.h"

namespace firth {
namespace {

using ::testing::HasSubstr;

constexpr uint32_t kEnd = TokenStream::kSentenceEnd;

// Words by Zipf's law, of which those of two lines in a row may be the same.
std::string TextOfWords(uint64_t seed, size_t words, absl::string_view end) {
  Rng rng(seed);
  std::string text;
  for (size_t i = 0; i < words; ++i) {
    const uint32_t rank = rng.Below(1 + rng.Below(1 + rng.Below(3000)));
    absl::StrAppend(&text, "w", rank, rng.Below(15) == 0 ? end : " ");
  }
  return text;
}

ReadPlan PlanOf(std::vector<std::string> inputs) {
  ReadPlan plan = PlanFor("", 3);
  plan.options.text.reset();
  plan.options.inputs = std::move(inputs);
  plan.options.threads = 2;
  plan.block_bytes = 2000;
  plan.share_look_ahead = 300;
  return plan;
}

using Reading = std::function<absl::StatusOr<Corpus>(const Hooks&)>;

// What `reading` gives each of some ranks.
std::vector<absl::StatusOr<Corpus>> ReadShared(int ranks,
                                               const Reading& reading) {
  std::vector<absl::StatusOr<Corpus>> results(static_cast<size_t>(ranks),
                                              absl::UnknownError("not called"));
  RunRanks(ranks, [&](Ranks& own) {
    Hooks hooks;
    hooks.ranks = &own;
    results[static_cast<size_t>(own.rank())] = reading(hooks);
  });
  return results;
}

// The streams of all ranks as one; what ends nothing is left out.
std::vector<uint32_t> JoinStreams(
    const std::vector<absl::StatusOr<Corpus>>& corpora) {
  std::vector<uint32_t> joined;
  for (const auto& corpus : corpora) {
    for (const uint32_t token : corpus->tokens->tokens()) {
      const bool after_end = joined.empty() || joined.back() == kEnd;
      if (token != kEnd || !after_end) joined.push_back(token);
    }
  }
  return joined;
}

void ExpectSameReport(const CorpusReport& a, const CorpusReport& b) {
  EXPECT_EQ(a.files, b.files);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.lines, b.lines);
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_EQ(a.words_kept, b.words_kept);
  EXPECT_EQ(a.types_seen, b.types_seen);
  EXPECT_EQ(a.types_kept, b.types_kept);
  EXPECT_EQ(a.types_known, b.types_known);
  EXPECT_EQ(a.dropped_min_count, b.dropped_min_count);
  EXPECT_EQ(a.dropped_max_vocab, b.dropped_max_vocab);
  EXPECT_EQ(a.dropped_not_given, b.dropped_not_given);
}

void ExpectAsOne(const Reading& reading) {
  const absl::StatusOr<Corpus> one = reading({});
  ASSERT_TRUE(one.ok()) << one.status();
  const auto tokens = one->tokens->tokens();
  for (const int ranks : {1, 2, 3, 7}) {
    SCOPED_TRACE(absl::StrCat(ranks, " ranks"));
    const auto shared = ReadShared(ranks, reading);
    for (const auto& corpus : shared) {
      ASSERT_TRUE(corpus.ok()) << corpus.status();
      EXPECT_EQ(CountsOf(corpus->vocabulary), CountsOf(one->vocabulary));
      ExpectSameReport(corpus->report, one->report);
    }
    EXPECT_EQ(JoinStreams(shared),
              std::vector<uint32_t>(tokens.begin(), tokens.end()));
  }
}

Reading ReadingAs(const ReadPlan& plan) {
  return [plan](const Hooks& hooks) { return ReadAsPlanned(plan, hooks); };
}

class SharedReadingTest : public testing::Test {
 protected:
  // Files of several sizes, one of them compressed, one empty, one of one line.
  std::vector<std::string> Files() const {
    return {folder_.Write("a", TextOfWords(1, 4000, "\n")),
            folder_.Write("b.gz", Gzip(TextOfWords(2, 2000, "\n"))),
            folder_.Write("c", ""),
            folder_.Write("d", TextOfWords(3, 9000, " ")),
            folder_.Write("e", TextOfWords(4, 700, "\n \n"))};
  }

  TempFolder folder_;
};

TEST_F(SharedReadingTest, VocabularyAndIdsAreThoseOfOneReader) {
  ExpectAsOne(ReadingAs(PlanOf(Files())));
}

TEST_F(SharedReadingTest, AlsoWhenTheMostFrequentWordsAreKept) {
  ReadPlan plan = PlanOf(Files());
  plan.vocabulary_options = {.min_count = 1, .max_vocab = 50};
  ExpectAsOne(ReadingAs(plan));
}

TEST_F(SharedReadingTest, AlsoWithWordsThatWereKnownBefore) {
  ReadPlan plan = PlanOf(Files());
  plan.known.vocabulary =
      *Vocabulary::Create({"w7", "unseen", "w2900"}, {100, 5, 1});
  ExpectAsOne(ReadingAs(plan));
}

TEST_F(SharedReadingTest, AlsoWithAGivenVocabulary) {
  const Vocabulary given = *Vocabulary::Create({"w3", "unseen", "w40"}, {});
  ReadPlan plan = PlanOf(Files());
  plan.vocabulary = &given;
  ExpectAsOne(ReadingAs(plan));
}

TEST_F(SharedReadingTest, AlsoWithPhrases) {
  ReadPlan plan = PlanOf({folder_.Write("a", TextOfWords(1, 4000, "\n")),
                          folder_.Write("b", TextOfWords(8, 9000, "\n"))});
  plan.vocabulary_options.min_count = 1;
  size_t phrases = 0;
  ExpectAsOne([&](const Hooks& hooks) -> absl::StatusOr<Corpus> {
    absl::StatusOr<Corpus> corpus = ReadAsPlanned(plan, hooks);
    if (!corpus.ok()) return corpus;
    PhraseOptions options;
    options.threshold = 3;
    options.min_count = 2;
    options.passes = 2;
    options.threads = 2;
    absl::StatusOr<JoinedCorpus> joined = JoinPhrases(*corpus, options, hooks);
    if (!joined.ok()) return joined.status();
    if (hooks.ranks == nullptr) phrases = joined->phrases.size();
    return KeepWords(joined->corpus, {.min_count = 3});
  });
  EXPECT_GT(phrases, 4u);
}

TEST_F(SharedReadingTest, ShareOfNothingIsNoError) {
  ReadPlan plan = PlanOf({folder_.Write("text", "a b\na b\na b\n")});
  ExpectAsOne(ReadingAs(plan));
}

TEST_F(SharedReadingTest, RanksThatSeeOtherFilesAreRefusedWithTheDifference) {
  const std::string here = folder_.Write("here/text", "a a a\n");
  const std::string there = folder_.Write("there/text", "a a a a\n");
  std::vector<absl::Status> statuses(2);
  RunRanks(2, [&](Ranks& ranks) {
    Hooks hooks;
    hooks.ranks = &ranks;
    const auto rank = static_cast<size_t>(ranks.rank());
    const ReadPlan plan = PlanOf({rank == 0 ? here : there});
    statuses[rank] = ReadAsPlanned(plan, hooks).status();
  });
  for (const absl::Status& status : statuses) {
    EXPECT_EQ(
        status.message(),
        absl::StrCat("input: the files must be the same on all ranks, found ",
                     here, " of 6 bytes on rank 0 and ", there,
                     " of 8 bytes on rank 1"));
  }
}

TEST_F(SharedReadingTest, TheErrorOfOneShareIsThatOfAllRanks) {
  std::string text = TextOfWords(1, 3000, "\n");
  text += "bad\xFF\n";
  ReadPlan plan = PlanOf({folder_.Write("text", text)});
  plan.options.utf8 = Utf8Policy::kError;
  for (const auto& corpus : ReadShared(3, ReadingAs(plan))) {
    EXPECT_THAT(corpus.status().message(),
                HasSubstr("rank 2 of 3 on a thread: "));
    EXPECT_THAT(corpus.status().message(), HasSubstr("text from byte "));
  }
}

TEST_F(SharedReadingTest, WhatOneProcessHoldsIsRefused) {
  for (const auto& corpus : ReadShared(2, ReadingAs(PlanFor("a b c\n")))) {
    EXPECT_THAT(corpus.status().message(), HasSubstr("ranks cannot share"));
  }
}

TEST_F(SharedReadingTest, NothingFrequentEnoughIsToldAsByOneReader) {
  ReadPlan plan = PlanOf(Files());
  plan.vocabulary_options.min_count = 100000;
  const absl::Status one = ReadAsPlanned(plan, {}).status();
  EXPECT_FALSE(one.ok());
  for (const auto& corpus : ReadShared(3, ReadingAs(plan))) {
    EXPECT_EQ(corpus.status(), one);
  }
}

}  // namespace
}  // namespace firth
