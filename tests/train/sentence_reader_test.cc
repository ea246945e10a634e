#include "train/sentence_reader.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "support/corpora.h"

namespace firth {
namespace {

constexpr size_t kWindow = 3;
constexpr uint64_t kEpochKey = 42;

// What a center sees: its key, and the words of its widest window in order, the
// center marked.
using Windows = std::map<uint64_t, std::string>;

void CollectWindows(SentenceReader reader, Windows* windows) {
  WordRun run;
  while (reader.Next(&run)) {
    for (size_t center = run.first_center; center < run.end_center; ++center) {
      std::string seen;
      const size_t begin = center - std::min(center, kWindow);
      const size_t end = std::min(center + kWindow + 1, run.words.size());
      for (size_t pos = begin; pos < end; ++pos) {
        seen += (pos == center ? " *" : " ") +
                std::to_string(Index(run.words[pos]));
      }
      const bool is_new = windows->emplace(run.keys[center], seen).second;
      EXPECT_TRUE(is_new) << "a position was a center twice";
    }
  }
}

Windows WindowsInPieces(const Corpus& corpus, const Subsampler& subsampler,
                        size_t parts) {
  Windows windows;
  const uint64_t size = corpus.tokens->tokens().size();
  for (size_t part = 0; part < parts; ++part) {
    const StreamPiece piece{size * part / parts, size * (part + 1) / parts};
    CollectWindows(
        SentenceReader(*corpus.tokens, subsampler, piece, kEpochKey, kWindow),
        &windows);
  }
  return windows;
}

Corpus LongSentence(size_t length) {
  std::vector<uint32_t> sentence(length);
  for (size_t i = 0; i < length; ++i) sentence[i] = (i * i) % 17;
  return MakeCorpus({{1, 2, 3}, sentence, {4}}, 17);
}

TEST(SentenceReaderTest, EveryWordIsACenterOnceHoweverManyPiecesThereAre) {
  const Corpus corpus = LongSentence(5000);
  const Subsampler keep_all(corpus.vocabulary.counts(), 0);
  const Windows whole = WindowsInPieces(corpus, keep_all, 1);
  EXPECT_EQ(whole.size(), corpus.tokens->num_words());
  for (const size_t parts : {2u, 3u, 7u, 100u, 6000u}) {
    EXPECT_EQ(WindowsInPieces(corpus, keep_all, parts), whole) << parts;
  }
}

TEST(SentenceReaderTest, PiecesSeeTheSameSubsampledWindows) {
  const Corpus corpus = LongSentence(5000);
  const Subsampler subsampler(corpus.vocabulary.counts(), 0.01);
  const Windows whole = WindowsInPieces(corpus, subsampler, 1);
  EXPECT_LT(whole.size(), 4000u);
  EXPECT_GT(whole.size(), 1000u);
  for (const size_t parts : {2u, 3u, 7u, 100u}) {
    EXPECT_EQ(WindowsInPieces(corpus, subsampler, parts), whole) << parts;
  }
}

// Sentences may be empty, as documents without words are.
TEST(SentenceReaderTest, EveryRunHasTheRowsOfItsSentence) {
  constexpr uint32_t kEnd = TokenStream::kSentenceEnd;
  std::vector<uint32_t> tokens = {kEnd, 0, 1, kEnd, kEnd, 2, kEnd};
  tokens.insert(tokens.end(), 3000, 3);
  tokens.insert(tokens.end(), {kEnd, kEnd, 4, kEnd, kEnd});
  const TokenStream stream(tokens, 3004, nullptr);
  const SentenceRows rows{.begins = {0, 1, 4, 5, 7, 3008, 3009, 3011},
                          .row_begins = {0, 1, 2, 3, 4, 6, 6, 7, 8},
                          .rows = {90, 91, 92, 93, 94, 95, 96, 97},
                          .num_rows = 8};
  const std::map<uint32_t, std::vector<uint32_t>> expected = {
      {0, {91}}, {1, {91}}, {2, {93}}, {3, {94, 95}}, {4, {96}}};
  const Subsampler keep_all({}, 0);
  for (const uint64_t size : {1, 2, 3, 5, 999, 5000}) {
    size_t centers = 0;
    for (uint64_t begin = 0; begin < tokens.size(); begin += size) {
      SentenceReader reader(
          stream, keep_all,
          {begin, std::min<uint64_t>(begin + size, tokens.size())}, kEpochKey,
          kWindow, &rows);
      WordRun run;
      while (reader.Next(&run)) {
        for (size_t pos = run.first_center; pos < run.end_center; ++pos) {
          const auto word = static_cast<uint32_t>(Index(run.words[pos]));
          ASSERT_EQ(std::vector<uint32_t>(run.rows.begin(), run.rows.end()),
                    expected.at(word))
              << "word " << word << ", pieces of " << size;
          ++centers;
        }
      }
    }
    EXPECT_EQ(centers, 3004u);
  }
}

TEST(SentenceReaderTest, WindowsDoNotCrossTheEndOfASentence) {
  const Corpus corpus = MakeCorpus({{0, 1}, {2}, {3, 4, 0}}, 5);
  const Subsampler keep_all(corpus.vocabulary.counts(), 0);
  const Windows windows = WindowsInPieces(corpus, keep_all, 1);
  std::set<std::string> seen;
  for (const auto& [key, window] : windows) seen.insert(window);
  EXPECT_EQ(seen, (std::set<std::string>{" *0 1", " 0 *1", " *2", " *3 4 0",
                                         " 3 *4 0", " 3 4 *0"}));
}

TEST(SentenceReaderTest, CountsAllWordsOfThePieceAlsoDroppedOnes) {
  const Corpus corpus = LongSentence(3000);
  const Subsampler subsampler(corpus.vocabulary.counts(), 1e-4);
  SentenceReader reader(*corpus.tokens, subsampler,
                        {0, corpus.tokens->tokens().size()}, kEpochKey,
                        kWindow);
  WordRun run;
  while (reader.Next(&run)) continue;
  EXPECT_EQ(reader.words_read(), corpus.tokens->num_words());
}

TEST(SentenceReaderTest, EpochsKeepOtherWords) {
  const Corpus corpus = LongSentence(3000);
  const Subsampler subsampler(corpus.vocabulary.counts(), 0.01);
  const StreamPiece whole{0, corpus.tokens->tokens().size()};
  WordRun first;
  WordRun second;
  SentenceReader(*corpus.tokens, subsampler, {4, whole.end}, 1, 3).Next(&first);
  SentenceReader(*corpus.tokens, subsampler, {4, whole.end}, 2, 3)
      .Next(&second);
  EXPECT_NE(first.words, second.words);
}

TEST(SentenceReaderTest, ReachIsUniformFromOneToTheWindow) {
  std::map<size_t, int> drawn;
  Rng rng(5);
  for (int i = 0; i < 50000; ++i) ++drawn[DrawReach(rng.Next(), 5)];
  EXPECT_EQ(drawn.size(), 5u);
  for (const auto& [reach, count] : drawn) {
    EXPECT_GE(reach, 1u);
    EXPECT_LE(reach, 5u);
    EXPECT_NEAR(count, 10000, 500);
  }
}

}  // namespace
}  // namespace firth
