// Sentences that come as words, by CorpusOptions::sentences: what is read is
// what the same words joined to a text give.

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/rng.h"
#include "firth/phrases.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/read_plans.h"
#include "support/temp_files.h"
#include "support/trainings.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

using Sentences = std::vector<std::vector<std::string>>;

// Zipf-like words: of capitals, wide letters and invalid bytes, long ones, with
// NUL; in sentences of none to many.
Sentences RandomSentences(size_t count) {
  Rng rng(5);
  Sentences sentences(count);
  for (auto& sentence : sentences) {
    const uint32_t size = rng.Below(rng.Below(50) == 0 ? 400 : 12);
    for (uint32_t i = 0; i < size; ++i) {
      const uint32_t rank = rng.Below(1 + rng.Below(1 + rng.Below(300)));
      const char* const start[] = {"w",     "W",   "\xC3\x89", "\xE2\x84\xAA",
                                   "\xFFx", "\xC3"};
      std::string word = absl::StrCat(start[rank % 6], rank);
      if (rank % 31 == 5) word += std::string(rank % 60, 'Y');
      if (rank % 37 == 6) word += '\0';
      sentence.push_back(word);
    }
  }
  return sentences;
}

std::string Joined(const Sentences& sentences) {
  std::string text;
  for (const auto& sentence : sentences) {
    absl::StrAppend(&text, absl::StrJoin(sentence, " "), "\n");
  }
  return text;
}

ReadPlan PlanForSentences(const Sentences& sentences) {
  ReadPlan plan = PlanFor("not read");
  plan.options.sentences = SentencesIn(sentences);
  return plan;
}

// All of the report but the time.
auto Numbers(const CorpusReport& report) {
  return std::vector<uint64_t>{report.files,
                               report.lines,
                               report.tokens,
                               report.words_kept,
                               report.types_seen,
                               report.types_kept,
                               report.dropped_too_long,
                               report.invalid_utf8,
                               report.tokens_with_nul,
                               report.dropped_min_count};
}

struct CleaningCase {
  const char* name;
  Utf8Policy utf8;
  bool lowercase;
  uint64_t max_word_bytes;
};

constexpr CleaningCase kCleaningCases[] = {
    {"as they are", Utf8Policy::kKeep, false, 65536},
    {"lower case", Utf8Policy::kKeep, true, 65536},
    {"replaced", Utf8Policy::kReplace, false, 65536},
    {"lower case, replaced", Utf8Policy::kReplace, true, 65536},
    {"short ones", Utf8Policy::kReplace, true, 9},
};

TEST(SentencesTest, AreReadAsTheTextOfTheSameWords) {
  const Sentences sentences = RandomSentences(2000);
  const std::string text = Joined(sentences);
  for (const CleaningCase& c : kCleaningCases) {
    for (const size_t block_bytes : {16, 1000, 1 << 22}) {
      for (const int threads : {1, 3}) {
        SCOPED_TRACE(absl::StrCat(c.name, " ", block_bytes, " ", threads));
        ReadPlan of_text = PlanFor(text, 2);
        of_text.options.utf8 = c.utf8;
        of_text.options.lowercase = c.lowercase;
        of_text.options.max_word_bytes = c.max_word_bytes;
        ReadPlan plan = of_text;
        plan.options.sentences = SentencesIn(sentences);
        plan.options.threads = threads;
        plan.block_bytes = block_bytes;
        const Corpus expected = Read(of_text);
        const Corpus corpus = Read(plan);
        EXPECT_EQ(CountsOf(corpus.vocabulary), CountsOf(expected.vocabulary));
        EXPECT_EQ(corpus.tokens->tokens(), expected.tokens->tokens());
        EXPECT_EQ(Numbers(corpus.report), Numbers(expected.report));
        EXPECT_EQ(c.max_word_bytes == 9, corpus.report.dropped_too_long > 0);
        EXPECT_GT(corpus.report.invalid_utf8, 0u);
        EXPECT_GT(corpus.report.tokens_with_nul, 0u);
      }
    }
  }
}

TEST(SentencesTest, BytesAreThoseOfWordsAndWhiteSpace) {
  const Sentences sentences = {{"one", "two"}, {}, {"three"}};
  EXPECT_EQ(Read(PlanForSentences(sentences)).report.bytes,
            Joined(sentences).size());
}

TEST(SentencesTest, TrainTheSameVectorsAsText) {
  const Sentences sentences = RandomSentences(500);
  const std::string text = Joined(sentences);
  const auto trained = [](const ReadPlan& plan) {
    auto model = Train(Read(plan), SmallOptions());
    EXPECT_TRUE(model.ok()) << model.status();
    return *std::move(model);
  };
  ReadPlan plan = PlanForSentences(sentences);
  plan.options.threads = 4;
  ExpectSameModel(trained(plan), trained(PlanFor(text)));
}

TEST(SentencesTest, AreNotAskedForBehindTheirEnd) {
  const absl::string_view word = "word";
  for (const int threads : {1, 3}) {
    ReadPlan plan = PlanFor("not read");
    plan.options.threads = threads;
    plan.block_bytes = 16;
    int left = 100;
    plan.options.sentences = [&]() -> decltype(plan.options.sentences()) {
      if (left-- == 0) return std::nullopt;
      return absl::MakeConstSpan(&word, 1);
    };
    EXPECT_EQ(Read(plan).report.tokens, 100u);
    EXPECT_EQ(left, -1);
  }
}

TEST(SentencesTest, MayBeReadAgain) {
  const Sentences sentences = RandomSentences(100);
  const ReadPlan plan = PlanForSentences(sentences);
  EXPECT_EQ(Read(plan).tokens->tokens(), Read(plan).tokens->tokens());
}

TEST(SentencesTest, KeepWordsWithWhiteSpaceWhole) {
  const Sentences sentences = {{"New York", "is", "a b\n", "New York"},
                               {"is", "is", " "},
                               {"\n", "\xE2\x80\x89"}};
  ReadPlan plan = PlanForSentences(sentences);
  plan.options.lowercase = true;
  const Corpus corpus = Read(plan);
  EXPECT_THAT(
      CountsOf(corpus.vocabulary),
      ElementsAre(Pair("is", 3), Pair("new york", 2), Pair("a b\n", 1),
                  Pair(" ", 1), Pair("\n", 1), Pair("\xE2\x80\x89", 1)));
  constexpr uint32_t kEnd = TokenStream::kSentenceEnd;
  EXPECT_THAT(corpus.tokens->tokens(),
              ElementsAre(1, 0, 2, 1, kEnd, 0, 0, 3, kEnd, 4, 5, kEnd));
}

TEST(SentencesTest, WordsWithWhiteSpaceGoToFilesThatHoldThem) {
  const Sentences sentences(20, {"New York", "is", "large"});
  const auto model = Train(Read(PlanForSentences(sentences)), SmallOptions());
  ASSERT_TRUE(model.ok()) << model.status();
  const TempFolder folder;
  const VectorFile file = {model->vectors, {}, {}, {}};
  const std::string native = folder.path() + "/model.safetensors";
  ASSERT_TRUE(SaveVectorFile(file, native, "safetensors").ok());
  const auto loaded = LoadVectorFile(native);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_TRUE(loaded->vectors.vocabulary().Find("New York").has_value());
  const absl::Status refused =
      SaveVectorFile(file, folder.path() + "/model.npy", "npy");
  EXPECT_THAT(std::string(refused.message()), HasSubstr("\"New York\""));
}

TEST(SentencesTest, MakePhrasesButNoTextWithWordsThatItWouldCut) {
  const Sentences sentences(20, {"New York", "State", "is", "large"});
  const Corpus corpus = Read(PlanForSentences(sentences));
  PhraseOptions options;
  options.threshold = 0.1;
  const auto joined = JoinPhrases(corpus, options);
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_TRUE(joined->corpus.vocabulary.Find("New York_State").has_value());
  const TempFolder folder;
  const std::string path = folder.path() + "/text";
  const absl::Status status = SaveText(corpus, path);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("the word \"New York\" contains white space"));
  EXPECT_FALSE(std::filesystem::exists(path));
}

// --- What can be wrong with them. ---

absl::Status StatusOf(const ReadPlan& plan, const Hooks& hooks = {}) {
  return ReadAsPlanned(plan, hooks).status();
}

TEST(SentencesTest, ErrorsOfTheSourceComeThrough) {
  for (const int threads : {1, 4}) {
    ReadPlan plan = PlanFor("");
    plan.options.threads = threads;
    plan.block_bytes = 16;
    const absl::string_view word = "word";
    plan.options.sentences =
        [&, calls = 0]() mutable -> decltype(plan.options.sentences()) {
      if (++calls == 100) return absl::UnavailableError("the line went dead");
      return absl::MakeConstSpan(&word, 1);
    };
    EXPECT_EQ(StatusOf(plan), absl::UnavailableError("the line went dead"));
  }
}

TEST(SentencesTest, AWordThatIsEmptyIsNamed) {
  Sentences sentences(20, {"some", "words"});
  sentences[17] = {"one", "", "three"};
  ReadPlan plan = PlanForSentences(sentences);
  plan.block_bytes = 16;
  EXPECT_EQ(StatusOf(plan),
            absl::InvalidArgumentError("sentences:18: expected words of 1 "
                                       "to 268435456 bytes, found word 2 "
                                       "empty"));
}

TEST(SentencesTest, AWordThatNoBlockHoldsIsNamed) {
  constexpr size_t kBytes = (size_t{1} << 28) + 1;
  const std::unique_ptr<void, void (*)(void*)> zeros(std::calloc(kBytes, 1),
                                                     std::free);
  ASSERT_NE(zeros, nullptr);
  const std::vector<std::vector<absl::string_view>> sentences = {
      {"b", {static_cast<const char*>(zeros.get()), kBytes}}};
  ReadPlan plan = PlanFor("not read");
  plan.options.sentences = SentencesIn(sentences);
  EXPECT_EQ(StatusOf(plan),
            absl::InvalidArgumentError("sentences:1: expected words of 1 to "
                                       "268435456 bytes, found word 2 of "
                                       "268435457"));
}

TEST(SentencesTest, AByteThatIsNoUtf8IsNamedWhereverBlocksEnd) {
  Sentences sentences(20, {"some", "words", "and", "more", "of", "them"});
  sentences[3] = {};
  sentences[17][4] = "ab\xC3";
  // With the word before it, this would be valid.
  sentences[17][5] = "\xA9";
  for (const size_t block_bytes : {16, 50, 1 << 22}) {
    ReadPlan plan = PlanForSentences(sentences);
    plan.block_bytes = block_bytes;
    plan.options.utf8 = Utf8Policy::kError;
    EXPECT_EQ(StatusOf(plan), absl::InvalidArgumentError(
                                  "sentences:18: expected valid UTF-8, found "
                                  "0xC3 at byte 3 of word 5"));
  }
}

TEST(SentencesTest, AByteThatIsNoUtf8IsFoundAtTheEndOfALongWord) {
  const Sentences sentences = {{"b", std::string(1000, 'a') + "\xFF"}};
  ReadPlan plan = PlanForSentences(sentences);
  plan.options.max_word_bytes = 5;
  EXPECT_EQ(Read(plan).report.invalid_utf8, 1u);
  plan.options.utf8 = Utf8Policy::kError;
  EXPECT_EQ(StatusOf(plan), absl::InvalidArgumentError(
                                "sentences:1: expected valid UTF-8, found 0xFF "
                                "at byte 1001 of word 2"));
}

TEST(SentencesTest, WithoutWordsThereIsNoCorpus) {
  const Sentences none = {{}, {}};
  EXPECT_THAT(std::string(StatusOf(PlanForSentences(none)).message()),
              HasSubstr("sentences: the input contains no tokens"));
}

TEST(SentencesTest, ReadingStopsBetweenTwoOfThem) {
  std::atomic<bool> stop = false;
  ReadPlan plan = PlanFor("");
  const absl::string_view word = "word";
  int calls = 0;
  plan.options.sentences = [&]() -> decltype(plan.options.sentences()) {
    stop = ++calls == 3;
    return absl::MakeConstSpan(&word, 1);
  };
  Hooks hooks;
  hooks.stop = &stop;
  EXPECT_EQ(StatusOf(plan, hooks).code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace firth
