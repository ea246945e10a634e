#include "firth/phrases.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "corpus/token_stream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Corpus Read(absl::string_view text) {
  CorpusOptions options;
  options.text = text;
  options.threads = 1;
  return ReadCorpus(options, {.min_count = 1}).value();
}

std::vector<std::string> Lines(const Corpus& corpus) {
  std::vector<std::string> lines(1);
  for (const uint32_t token : corpus.tokens->tokens()) {
    if (token == TokenStream::kSentenceEnd) {
      lines.emplace_back();
    } else {
      absl::StrAppend(&lines.back(), lines.back().empty() ? "" : " ",
                      corpus.vocabulary.Word(ToWordId(token)));
    }
  }
  lines.pop_back();
  return lines;
}

// "new york" 10 times among words that go with anything.
std::string NewYork() {
  std::string text;
  for (int i = 0; i < 10; ++i) {
    absl::StrAppend(&text, "a", i, " new york b", i, "\n", "b", i, " a", i,
                    "\n");
  }
  return text;
}

PhraseOptions Sharp() {
  PhraseOptions options;
  options.threshold = 2;
  options.min_count = 3;
  return options;
}

TEST(PhrasesTest, WordsThatStandTogetherBecomeOne) {
  const auto joined = JoinPhrases(Read(NewYork()), Sharp());
  ASSERT_TRUE(joined.ok()) << joined.status();
  ASSERT_EQ(joined->phrases.size(), 1u);
  EXPECT_EQ(joined->phrases[0].text, "new_york");
  EXPECT_EQ(joined->phrases[0].count, 10u);
  // (10 - 3) / 10 / 10 * 60
  EXPECT_NEAR(joined->phrases[0].score, 4.2, 1e-9);
  const Corpus& corpus = joined->corpus;
  EXPECT_EQ(corpus.vocabulary.Count(*corpus.vocabulary.Find("new_york")), 10u);
  EXPECT_EQ(Index(*corpus.vocabulary.Find("new_york")), 0u) << "by count";
  EXPECT_FALSE(corpus.vocabulary.Find("new").has_value());
  EXPECT_EQ(Lines(corpus)[0], "a0 new_york b0");
  EXPECT_EQ(Lines(corpus).size(), 20u);
  EXPECT_EQ(corpus.tokens->num_words(), 50u);
}

TEST(PhrasesTest, NpmiIsOneForWordsThatNeverStandAlone) {
  PhraseOptions options = Sharp();
  options.score = PhraseScore::kNpmi;
  options.threshold = 0.9;
  const auto joined = JoinPhrases(Read(NewYork()), options);
  ASSERT_TRUE(joined.ok()) << joined.status();
  ASSERT_EQ(joined->phrases.size(), 1u);
  EXPECT_NEAR(joined->phrases[0].score, 1, 1e-9);
}

TEST(PhrasesTest, ATokenIsInOnePhraseAtMost) {
  std::string text;
  for (int i = 0; i < 10; ++i) absl::StrAppend(&text, "p q r\n");
  PhraseOptions options = Sharp();
  options.threshold = 0.1;
  const auto joined = JoinPhrases(Read(text), options);
  ASSERT_TRUE(joined.ok());
  EXPECT_EQ(Lines(joined->corpus)[0], "p_q r");
}

TEST(PhrasesTest, EachPassJoinsWhatTheLastOneMade) {
  std::string text;
  for (int i = 0; i < 10; ++i) absl::StrAppend(&text, "p q r s\n");
  PhraseOptions options = Sharp();
  options.threshold = 0.1;
  options.passes = 2;
  options.delimiter = "~";
  const auto joined = JoinPhrases(Read(text), options);
  ASSERT_TRUE(joined.ok());
  EXPECT_EQ(Lines(joined->corpus)[0], "p~q~r~s");
  options.passes = 9;
  EXPECT_EQ(JoinPhrases(Read(text), options)->phrases.size(),
            joined->phrases.size())
      << "there is nothing left to join";
}

TEST(PhrasesTest, ConnectorsStandInside) {
  std::string text;
  for (int i = 0; i < 10; ++i) {
    absl::StrAppend(&text, "x", i, " bank of america of y", i, "\n");
  }
  PhraseOptions options = Sharp();
  options.connectors = {"of", "absent"};
  const auto joined = JoinPhrases(Read(text), options);
  ASSERT_TRUE(joined.ok());
  EXPECT_EQ(Lines(joined->corpus)[3], "x3 bank_of_america of y3");
}

TEST(PhrasesTest, SentencesAreNotJoined) {
  std::string text;
  for (int i = 0; i < 10; ++i) absl::StrAppend(&text, "p\nq\n");
  PhraseOptions options = Sharp();
  options.threshold = 0.1;
  EXPECT_THAT(JoinPhrases(Read(text), options)->phrases, IsEmpty());
}

TEST(PhrasesTest, APhraseThatIsAWordAlreadyIsThatWord) {
  const auto joined =
      JoinPhrases(Read(NewYork() + "new_york new_york\n"), Sharp());
  ASSERT_TRUE(joined.ok());
  const Vocabulary& vocabulary = joined->corpus.vocabulary;
  EXPECT_EQ(vocabulary.Count(*vocabulary.Find("new_york")), 12u);
}

// Long enough for several pieces and parts.
TEST(PhrasesTest, ThreadsChangeNothing) {
  Rng rng(7);
  std::string text;
  for (int i = 0; i < 400000; ++i) {
    const uint32_t word = rng.Below(300);
    absl::StrAppend(&text, "w", word, rng.Below(2) == 0 ? " v" : " w",
                    rng.Below(2) == 0 ? word : rng.Below(300),
                    rng.Below(9) == 0 ? "\n" : " ");
  }
  const Corpus corpus = Read(text);
  PhraseOptions options = Sharp();
  options.threshold = 5;
  options.passes = 2;
  options.threads = 1;
  const auto one = JoinPhrases(corpus, options);
  options.threads = 3;
  const auto three = JoinPhrases(corpus, options);
  ASSERT_TRUE(one.ok() && three.ok());
  EXPECT_GT(one->phrases.size(), 100u);
  ASSERT_EQ(one->phrases.size(), three->phrases.size());
  for (size_t i = 0; i < one->phrases.size(); ++i) {
    ASSERT_EQ(one->phrases[i].text, three->phrases[i].text);
  }
  EXPECT_EQ(one->corpus.tokens->tokens(), three->corpus.tokens->tokens());
}

TEST(PhrasesTest, NonsenseIsRefused) {
  const Corpus corpus = Read("a b\n");
  const auto message = [&](void (*spoil)(PhraseOptions&)) {
    PhraseOptions options;
    spoil(options);
    return std::string(JoinPhrases(corpus, options).status().message());
  };
  EXPECT_THAT(message([](PhraseOptions& o) { o.passes = 0; }),
              HasSubstr("passes: expected 1 to 10"));
  EXPECT_THAT(message([](PhraseOptions& o) { o.min_count = 0; }),
              HasSubstr("min-count: expected"));
  EXPECT_THAT(message([](PhraseOptions& o) { o.delimiter = "a b"; }),
              HasSubstr("must not contain white space"));
}

TEST(KeepWordsTest, DropsRareWordsAndSentencesThatAreEmptyThen) {
  const Corpus all = Read("a b a\nc\na b\nd a\n");
  const auto kept = KeepWords(all, {.min_count = 2});
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_THAT(Lines(*kept), ElementsAre("a b a", "a b", "a"));
  EXPECT_EQ(kept->report.dropped_min_count, 2u);
  EXPECT_EQ(kept->report.words_kept, 6u);
  const auto one = KeepWords(all, {.min_count = 1, .max_vocab = 1});
  EXPECT_THAT(Lines(*one), ElementsAre("a a", "a", "a"));
  EXPECT_EQ(one->report.dropped_max_vocab, 4u);
  EXPECT_FALSE(KeepWords(all, {.min_count = 9}).ok());
}

TEST(SaveTextTest, WritesASentenceALine) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            absl::StrCat("firth_save_text_", getpid(), ".txt"))
                               .string();
  ASSERT_EQ(SaveText(Read("a  b\n\n c\td"), path), absl::OkStatus());
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  std::filesystem::remove(path);
  EXPECT_EQ(text.str(), "a b\nc d\n");
}

}  // namespace
}  // namespace firth
