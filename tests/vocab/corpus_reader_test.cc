#include "vocab/corpus_reader.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "base/unicode.h"
#include "corpus/token_stream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/compress.h"
#include "support/read_plans.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Pair;

constexpr uint32_t kEnd = TokenStream::kSentenceEnd;

class Recorder : public ProgressSink {
 public:
  void OnRead(const ReadProgress& progress) override { last = progress; }
  void OnWarning(absl::string_view message) override {
    warnings.emplace_back(message);
  }
  ReadProgress last;
  std::vector<std::string> warnings;
};

ReadPlan PlanForFiles(std::vector<std::string> inputs) {
  ReadPlan plan = PlanFor("");
  plan.options.text.reset();
  plan.options.inputs = std::move(inputs);
  return plan;
}

// Zipf-like words, long and short, wide and invalid ones, empty and long lines.
std::string RandomText(size_t words) {
  Rng rng(11);
  std::string text;
  for (size_t i = 0; i < words; ++i) {
    const uint32_t rank = rng.Below(1 + rng.Below(1 + rng.Below(20000)));
    text += (rank % 7 == 3    ? "\xC3\xA9"
             : rank % 29 == 4 ? "\xFFx"
                              : "w") +
            std::to_string(rank * 2654435761u);
    if (rank % 101 == 5) text += std::string(rank % 60, 'y');
    const uint32_t space = rng.Below(40);
    text += space == 0   ? "\n"
            : space == 1 ? "\n\n \n"
            : space == 2 ? "\xE2\x80\x89"
            : space == 3 ? "\r\n"
                         : " ";
  }
  return text;
}

// The obvious way to do it all.
struct PlainCorpus {
  std::vector<std::pair<std::string, uint64_t>> words;
  std::string text;
  uint64_t tokens = 0;
};

PlainCorpus ReadPlainly(const std::string& text, uint64_t min_count) {
  std::vector<std::vector<std::string>> sentences(1);
  std::string word;
  std::map<std::string, std::pair<uint64_t, size_t>> seen;
  PlainCorpus plain;
  for (size_t i = 0; i <= text.size();) {
    const absl::string_view rest = absl::string_view(text).substr(i);
    const size_t space = rest.empty() ? 1 : WhiteSpaceBytes(rest);
    if (space == 0) {
      word += text[i++];
      continue;
    }
    if (!word.empty()) {
      ++seen.try_emplace(word, 0, plain.tokens++).first->second.first;
      sentences.back().push_back(word);
    }
    word.clear();
    if (!rest.empty() && text[i] == '\n') sentences.emplace_back();
    i += space;
  }
  for (const auto& [key, value] : seen) {
    if (value.first >= min_count) plain.words.emplace_back(key, value.first);
  }
  std::sort(plain.words.begin(), plain.words.end(),
            [&](const auto& a, const auto& b) {
              return a.second != b.second
                         ? a.second > b.second
                         : seen[a.first].second < seen[b.first].second;
            });
  for (const auto& sentence : sentences) {
    const size_t before = plain.text.size();
    for (const std::string& token : sentence) {
      if (seen[token].first >= min_count) plain.text += token + " ";
    }
    if (plain.text.size() > before) plain.text.back() = '\n';
  }
  return plain;
}

TEST(CorpusReaderTest, AgreesWithAPlainReader) {
  const std::string text = RandomText(30000);
  for (const uint64_t min_count : {1, 2, 7}) {
    const PlainCorpus plain = ReadPlainly(text, min_count);
    for (const size_t block_bytes : {16, 4096, 1 << 22}) {
      ReadPlan plan = PlanFor(text, min_count);
      plan.block_bytes = block_bytes;
      plan.options.threads = 2;
      const Corpus corpus = Read(plan);
      EXPECT_EQ(CountsOf(corpus.vocabulary), plain.words);
      EXPECT_EQ(TextOf(corpus), plain.text);
      EXPECT_EQ(corpus.report.tokens, plain.tokens);
      EXPECT_EQ(corpus.tokens->num_words(), corpus.vocabulary.total_count());
      ExpectAccounted(corpus.report);
    }
  }
}

TEST(CorpusReaderTest, KeepsLinesWithoutWordsOnRequest) {
  // "rare" is dropped, and its line with it, unless lines are kept.
  const std::string text = "\na b a b\n \n\nrare\na b\nb";
  for (const size_t block_bytes : {16, 1 << 22}) {
    ReadPlan plan = PlanFor(text, /*min_count=*/2);
    plan.block_bytes = block_bytes;
    EXPECT_EQ(TextOf(Read(plan)), "a b a b\na b\nb\n");
    plan.empty = EmptySentences::kKeep;
    const Corpus corpus = Read(plan);
    EXPECT_EQ(TextOf(corpus), "\na b a b\n\n\n\na b\nb\n");
    EXPECT_EQ(corpus.report.lines, 7u);
    EXPECT_EQ(corpus.tokens->num_words(), 7u);
  }
}

// Hides the digits of a text.
class DigitFilter : public BlockSource {
 public:
  explicit DigitFilter(std::unique_ptr<BlockSource> source)
      : source_(std::move(source)) {}
  absl::StatusOr<bool> Next(TextBlock* block) override {
    const absl::StatusOr<bool> found = source_->Next(block);
    for (size_t i = 0; i < block->size; ++i) {
      char& byte = block->bytes[i];
      if (byte >= '0' && byte <= '9') byte = ' ';
    }
    return found;
  }
  uint64_t files() const override { return source_->files(); }
  uint64_t bytes() const override { return source_->bytes(); }

 private:
  std::unique_ptr<BlockSource> source_;
};

TEST(CorpusReaderTest, ReadsThroughAFilter) {
  ReadPlan plan = PlanFor("1 a\n22 b1c\n");
  plan.filter = [](std::unique_ptr<BlockSource> source) {
    return std::make_unique<DigitFilter>(std::move(source));
  };
  EXPECT_EQ(TextOf(Read(plan)), "a\nb c\n");
}

TEST(CorpusReaderTest, DropsTheSameLongWordsWhateverTheBlocks) {
  const std::string longest(20, 'a');
  // Of three bytes each, and of one in lower case.
  std::string kelvins;
  for (int i = 0; i < 20; ++i) kelvins += "\xE2\x84\xAA";
  const std::string text = longest + " b " + std::string(21, 'b') + " c\n" +
                           std::string(5000, 'c') + "\nd " + kelvins + " " +
                           std::string(300, 'd');
  for (const size_t block_bytes : {16, 100, 1 << 22}) {
    ReadPlan plan = PlanFor(text);
    plan.block_bytes = block_bytes;
    plan.options.threads = 2;
    plan.options.max_word_bytes = 20;
    plan.options.lowercase = true;
    const Corpus corpus = Read(plan);
    EXPECT_EQ(TextOf(corpus),
              longest + " b c\nd " + std::string(20, 'k') + "\n");
    EXPECT_EQ(corpus.report.tokens, 8u);
    EXPECT_EQ(corpus.report.dropped_too_long, 3u);
    EXPECT_EQ(corpus.report.lines, 3u);
    ExpectAccounted(corpus.report);
  }
}

TEST(CorpusReaderTest, PartsWordsWithoutWhiteSpaceWhateverTheirLength) {
  // Chinese: 'we', 'like' and 'books', with a comma and a full stop.
  const std::string clause =
      "\xE6\x88\x91\xE4\xBB\xAC\xE5\x96\x9C\xE6\xAC\xA2\xE4\xB9\xA6";
  std::string text = "a ";
  for (int i = 0; i < 500; ++i) {
    text += clause + (i % 7 == 6 ? "\xE3\x80\x82" : "\xEF\xBC\x8C");
  }
  text += "\n";
  for (const size_t block_bytes : {16, 100, 1 << 22}) {
    ReadPlan plan = PlanFor(text);
    plan.block_bytes = block_bytes;
    plan.options.split_punctuation = true;
    plan.options.max_word_bytes = 9;
    const Corpus corpus = Read(plan);
    EXPECT_EQ(corpus.report.tokens, 1u + 500 * 4) << block_bytes;
    EXPECT_EQ(corpus.report.dropped_too_long, 0u) << block_bytes;
    EXPECT_THAT(
        CountsOf(corpus.vocabulary),
        ElementsAre(Pair("\xE6\x88\x91\xE4\xBB\xAC", 500),
                    Pair("\xE5\x96\x9C\xE6\xAC\xA2", 500),
                    Pair("\xE4\xB9\xA6", 500), Pair("\xEF\xBC\x8C", 429),
                    Pair("\xE3\x80\x82", 71), Pair("a", 1)))
        << block_bytes;
  }
}

TEST(CorpusReaderTest, PartsWordsWithoutPunctuationBetweenCodePoints) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "\xE6\x88\x91\xE4\xBB\xAC";
  for (const size_t block_bytes : {16, 100}) {
    ReadPlan plan = PlanFor(text);
    plan.block_bytes = block_bytes;
    plan.options.split_punctuation = true;
    plan.options.max_word_bytes = 6;
    const Corpus corpus = Read(plan);
    uint64_t bytes = 0;
    for (const auto& [word, count] : CountsOf(corpus.vocabulary)) {
      bytes += word.size() * count;
    }
    EXPECT_EQ(bytes, text.size()) << block_bytes;
    EXPECT_EQ(corpus.report.invalid_utf8, 0u) << block_bytes;
    EXPECT_EQ(corpus.report.lines, 1u);
  }
}

// "é" as one character, and as "e" with a mark.
constexpr char kComposed[] = "caf\u00E9";
constexpr char kDecomposed[] = "cafe\u0301";

TEST(CorpusReaderTest, WarnsOfWordsInTwoUnicodeForms) {
  const std::string text = absl::StrCat(kComposed, " ", kComposed, " ",
                                        kDecomposed, " o\u0308 a b\n");
  ReadPlan plan = PlanFor(text);
  Recorder recorder;
  const auto corpus = ReadAsPlanned(plan, {.progress = &recorder});
  ASSERT_TRUE(corpus.ok());
  EXPECT_EQ(corpus->vocabulary.size(), 5u);
  EXPECT_THAT(
      recorder.warnings,
      ElementsAre(
          "1 word occurs in two Unicode forms, which count as two words, such "
          "as \"caf\u00E9\"; --normalize nfc makes them one word"));
}

TEST(CorpusReaderTest, NormalizationJoinsTheFormsOfAWord) {
  const std::string text =
      absl::StrCat(kComposed, " ", kDecomposed, " \uFB01n fin\n");
  for (const size_t block_bytes : {16, 1 << 22}) {
    ReadPlan plan = PlanFor(text);
    plan.block_bytes = block_bytes;
    plan.options.normalize = Normalization::kNfc;
    Recorder recorder;
    const auto corpus = ReadAsPlanned(plan, {.progress = &recorder});
    ASSERT_TRUE(corpus.ok());
    EXPECT_THAT(
        CountsOf(corpus->vocabulary),
        ElementsAre(Pair(kComposed, 2), Pair("\uFB01n", 1), Pair("fin", 1)));
    EXPECT_TRUE(recorder.warnings.empty());
    plan.options.normalize = Normalization::kNfkc;
    EXPECT_THAT(CountsOf(Read(plan).vocabulary),
                ElementsAre(Pair(kComposed, 2), Pair("fin", 2)));
  }
}

TEST(CorpusReaderTest, NormalizationReachesWordsInMemory) {
  const std::vector<std::vector<std::string>> sentences = {
      {kComposed, kDecomposed}, {"b", kDecomposed}};
  ReadPlan plan = PlanFor("");
  plan.options.text.reset();
  plan.options.sentences = SentencesIn(sentences);
  plan.options.normalize = Normalization::kNfc;
  EXPECT_THAT(CountsOf(Read(plan).vocabulary),
              ElementsAre(Pair(kComposed, 3), Pair("b", 1)));
}

// A word that shrinks to a quarter of its bytes is not cut before it does.
TEST(CorpusReaderTest, LongWordsAreMeasuredAsTheyAreNormalized) {
  std::string bold;
  for (int i = 0; i < 20; ++i) bold += "\U0001D400";
  const std::string text = bold + " " + bold + "\U0001D400 b\n";
  for (const size_t block_bytes : {16, 100, 1 << 22}) {
    ReadPlan plan = PlanFor(text);
    plan.block_bytes = block_bytes;
    plan.options.max_word_bytes = 20;
    plan.options.normalize = Normalization::kNfkc;
    const Corpus corpus = Read(plan);
    EXPECT_EQ(TextOf(corpus), std::string(20, 'A') + " b\n");
    EXPECT_EQ(corpus.report.dropped_too_long, 1u);
  }
}

// Words of all lengths, of whole and of broken sequences.
std::string BrokenText(Rng& rng) {
  const char* const parts[] = {
      "a",    "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
      "\x80", "\xC3",     "\xE2\x82",     "\xF0\x9F\x98",
      "\xFF", " ",        "\n",           "\xE3\x80\x80"};
  std::string text(rng.Below(2) == 0 ? "" : kByteOrderMark);
  text += "b ";
  for (uint32_t words = 1 + rng.Below(4); words > 0; --words) {
    for (uint32_t size = rng.Below(120); size > 0; --size) {
      text += parts[rng.Below(9)];
    }
    text += parts[9 + rng.Below(3)];
  }
  return text;
}

TEST(CorpusReaderTest, FindsTheSameInvalidBytesWhateverTheBlocks) {
  Rng rng(3);
  for (int round = 0; round < 300; ++round) {
    const std::string text = BrokenText(rng);
    std::string replaced;
    const size_t invalid = AppendReplacingInvalid(text, &replaced);
    const size_t first = FindInvalidUtf8(text);
    std::string refusal;
    for (const size_t block_bytes : {16, 40, 1 << 22}) {
      ReadPlan plan = PlanFor(text);
      plan.block_bytes = block_bytes;
      plan.options.max_word_bytes = 5;
      ASSERT_EQ(Read(plan).report.invalid_utf8, invalid)
          << round << ' ' << block_bytes;
      plan.options.utf8 = Utf8Policy::kError;
      const auto read = ReadAsPlanned(plan, {});
      ASSERT_EQ(read.ok(), invalid == 0) << round << ' ' << block_bytes;
      if (read.ok()) continue;
      const size_t line = text.rfind('\n', first) + 1;
      EXPECT_THAT(std::string(read.status().message()),
                  EndsWith(absl::StrCat(" at byte ", first - line + 1,
                                        " of the line")));
      if (refusal.empty()) refusal = std::string(read.status().message());
      EXPECT_EQ(read.status().message(), refusal) << block_bytes;
    }
  }
}

TEST(CorpusReaderTest, RefusesAWordLengthOfNothing) {
  ReadPlan plan = PlanFor("a b");
  plan.options.max_word_bytes = 0;
  const auto corpus = ReadAsPlanned(plan, {});
  EXPECT_THAT(corpus.status().message(), HasSubstr("max-word-bytes"));
}

std::string Summary(const CorpusReport& r) {
  std::string summary;
  for (const uint64_t value :
       {r.files, r.bytes, r.lines, r.tokens, r.words_kept, r.types_seen,
        r.types_kept, r.dropped_min_count, r.dropped_max_vocab,
        r.dropped_pruned, r.dropped_not_given, r.dropped_too_long,
        r.invalid_utf8, r.tokens_with_nul, r.spooled_bytes}) {
    summary += std::to_string(value) + " ";
  }
  return summary;
}

struct ThreadCase {
  const char* name;
  uint64_t memory_bytes;
  uint64_t max_vocab;
  bool lowercase;
  bool pruned;
  bool spooled;
};

constexpr ThreadCase kThreadCases[] = {
    {"plain", 1 << 30, 0, false, false, false},
    {"cut vocabulary", 1 << 30, 500, true, false, false},
    {"pruned", 600000, 0, false, true, false},
    {"pruned and spooled", 300000, 0, false, true, true},
};

TEST(CorpusReaderTest, DoesNotDependOnTheNumberOfThreads) {
  const std::string text = RandomText(60000);
  for (const ThreadCase& c : kThreadCases) {
    ReadPlan plan = PlanFor(text, 2);
    plan.block_bytes = 2000;
    plan.options.memory_bytes = c.memory_bytes;
    plan.options.lowercase = c.lowercase;
    plan.vocabulary_options.max_vocab = c.max_vocab;
    plan.options.threads = 1;
    Recorder first_recorder;
    Hooks hooks;
    hooks.progress = &first_recorder;
    const auto first = ReadAsPlanned(plan, hooks);
    ASSERT_TRUE(first.ok()) << c.name << ": " << first.status();
    EXPECT_EQ(first->report.dropped_pruned > 0, c.pruned) << c.name;
    EXPECT_EQ(first->report.spooled_bytes > 0, c.spooled) << c.name;
    EXPECT_EQ(!first_recorder.warnings.empty(), c.pruned) << c.name;
    ExpectAccounted(first->report);
    EXPECT_EQ(first->tokens->num_words(), first->report.words_kept);
    for (const int threads : {2, 3, 8}) {
      plan.options.threads = threads;
      Recorder recorder;
      hooks.progress = &recorder;
      const auto corpus = ReadAsPlanned(plan, hooks);
      ASSERT_TRUE(corpus.ok()) << corpus.status();
      EXPECT_EQ(CountsOf(corpus->vocabulary), CountsOf(first->vocabulary));
      EXPECT_EQ(corpus->tokens->tokens(), first->tokens->tokens()) << c.name;
      EXPECT_EQ(Summary(corpus->report), Summary(first->report)) << c.name;
      EXPECT_EQ(recorder.warnings, first_recorder.warnings) << c.name;
    }
  }
}

TEST(CorpusReaderTest, PruningIsAnnounced) {
  const std::string text = RandomText(60000);
  ReadPlan plan = PlanFor(text);
  plan.options.memory_bytes = 600000;
  plan.block_bytes = 2000;
  Recorder recorder;
  Hooks hooks;
  hooks.progress = &recorder;
  ASSERT_TRUE(ReadAsPlanned(plan, hooks).ok());
  ASSERT_FALSE(recorder.warnings.empty());
  EXPECT_THAT(recorder.warnings[0],
              HasSubstr("words that occurred up to 1 time so far ("));
}

TEST(CorpusReaderTest, ASpooledStreamEqualsOneInMemory) {
  const std::string text = RandomText(20000);
  const Vocabulary vocabulary = Read(PlanFor(text, 3)).vocabulary;
  ReadPlan plan = PlanFor(text);
  plan.vocabulary = &vocabulary;
  plan.block_bytes = 1000;
  const Corpus in_memory = Read(plan);
  EXPECT_EQ(in_memory.report.spooled_bytes, 0u);
  plan.options.memory_bytes = 1000;
  const Corpus spooled = Read(plan);
  EXPECT_GT(spooled.report.spooled_bytes, 40000u);
  EXPECT_EQ(spooled.tokens->tokens(), in_memory.tokens->tokens());
}

TEST(CorpusReaderTest, AccountsForWhatItDrops) {
  const Corpus corpus = Read([] {
    ReadPlan plan = PlanFor("a a a\nb b c c\n\nd\ne e", 2);
    plan.vocabulary_options.max_vocab = 3;
    return plan;
  }());
  EXPECT_EQ(TextOf(corpus), "a a a\nb b c c\n");
  EXPECT_EQ(corpus.report.lines, 5u);
  EXPECT_EQ(corpus.report.tokens, 10u);
  EXPECT_EQ(corpus.report.words_kept, 7u);
  EXPECT_EQ(corpus.report.types_seen, 5u);
  EXPECT_EQ(corpus.report.types_kept, 3u);
  EXPECT_EQ(corpus.report.dropped_min_count, 1u);
  EXPECT_EQ(corpus.report.dropped_max_vocab, 2u);
  EXPECT_EQ(corpus.report.bytes, 20u);
}

struct TextCase {
  const char* name;
  absl::string_view text;
  const char* sentences;
  uint64_t lines;
};

constexpr TextCase kTextCases[] = {
    {"no final newline", "a b\nc", "a b\nc\n", 2},
    {"windows line ends", "a b\r\nc\r\n", "a b\nc\n", 2},
    {"empty lines", "\n\na\n \n\nb\n\n", "a\nb\n", 7},
    {"byte order mark",
     "\xEF\xBB\xBF"
     "a b\n",
     "a b\n", 1},
    {"line separator splits words only",
     "a\xE2\x80\xA8"
     "b\n",
     "a b\n", 1},
    {"line cut at its very end", "0123456789 abcd ", "0123456789 abcd\n", 1},
    {"two words over two blocks", "0123456789 abcd efghij klm\nn",
     "0123456789 abcd efghij klm\nn\n", 2},
};

TEST(CorpusReaderTest, ReadsOddText) {
  for (const TextCase& c : kTextCases) {
    ReadPlan plan = PlanFor(c.text);
    plan.block_bytes = 16;
    const Corpus corpus = Read(plan);
    EXPECT_EQ(TextOf(corpus), c.sentences) << c.name;
    EXPECT_EQ(corpus.report.lines, c.lines) << c.name;
  }
}

TEST(CorpusReaderTest, ReadsALineOf20MegabytesAsOneSentence) {
  std::string text;
  while (text.size() < 20000000)
    text += "some words of a line that never ends ";
  const Corpus corpus = Read(PlanFor(text));
  EXPECT_EQ(corpus.report.lines, 1u);
  EXPECT_EQ(corpus.report.tokens % 8, 0u);
  const auto ids = corpus.tokens->tokens();
  EXPECT_EQ(std::count(ids.begin(), ids.end(), kEnd), 1);
  EXPECT_EQ(ids.size(), corpus.report.tokens + 1);
}

TEST(CorpusReaderTest, ReadsAWordOf5MegabytesWhereThatIsAllowed) {
  const std::string word(5000000, 'x');
  const std::string text = "a " + word + " b\n" + word;
  ReadPlan plan = PlanFor(text);
  plan.options.max_word_bytes = word.size();
  const Corpus corpus = Read(plan);
  EXPECT_EQ(corpus.report.tokens, 4u);
  EXPECT_EQ(corpus.vocabulary.Word(ToWordId(0)), word);
}

TEST(CorpusReaderTest, WarnsOnceOfNul) {
  const absl::string_view text("a\nb\0 c\0d\nb\0 e\n", 14);
  ReadPlan plan = PlanFor(text);
  Recorder recorder;
  Hooks hooks;
  hooks.progress = &recorder;
  const auto corpus = ReadAsPlanned(plan, hooks);
  ASSERT_TRUE(corpus.ok());
  EXPECT_EQ(corpus->report.tokens_with_nul, 3u);
  EXPECT_EQ(corpus->vocabulary.Word(ToWordId(0)), absl::string_view("b\0", 2));
  EXPECT_THAT(recorder.warnings,
              ElementsAre("3 tokens contain NUL bytes and were kept, the first "
                          "of them in text:2"));
}

struct Utf8Case {
  Utf8Policy policy;
  const char* text;
  uint64_t invalid;
};

constexpr Utf8Case kUtf8Cases[] = {
    {Utf8Policy::kKeep, "caf\xE9 caf\xC3\xA9\n", 1},
    {Utf8Policy::kReplace, "caf\xEF\xBF\xBD caf\xC3\xA9\n", 1},
};

TEST(CorpusReaderTest, FollowsTheUtf8Policy) {
  for (const Utf8Case& c : kUtf8Cases) {
    ReadPlan plan = PlanFor("caf\xE9 caf\xC3\xA9\n");
    plan.options.utf8 = c.policy;
    const Corpus corpus = Read(plan);
    EXPECT_EQ(TextOf(corpus), c.text);
    EXPECT_EQ(corpus.report.invalid_utf8, c.invalid);
  }
}

TEST(CorpusReaderTest, NamesTheFirstInvalidByteWhateverTheThreads) {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "a line of text\n";
  text += "a bad \xFF one\n" + text + "another \xFE\n";
  for (const int threads : {1, 4}) {
    ReadPlan plan = PlanForFiles({folder.Write("bad.txt", text)});
    plan.options.utf8 = Utf8Policy::kError;
    plan.options.threads = threads;
    plan.block_bytes = 100;
    EXPECT_EQ(ReadAsPlanned(plan, {}).status().message(),
              folder.File("bad.txt") +
                  ":1001: expected valid UTF-8, found 0xFF at byte 7 of the "
                  "line");
  }
}

TEST(CorpusReaderTest, ReadsFoldersAndEveryCompression) {
  const TempFolder folder;
  folder.Write("1.txt", "one two");
  folder.Write("2.gz", Gzip("three\n") + Gzip("three four\n"));
  folder.Write("3.bz2", Bzip2("five\n"));
  folder.Write("4.xz", Xz("six\n"));
  folder.Write("5/zst", Zstd("seven\n", 27));
  folder.Write(".hidden", "never");
  const Corpus corpus = Read(PlanForFiles({folder.path()}));
  EXPECT_EQ(TextOf(corpus), "one two\nthree\nthree four\nfive\nsix\nseven\n");
  EXPECT_EQ(corpus.report.files, 5u);
  EXPECT_EQ(corpus.report.lines, 6u);
}

TEST(CorpusReaderTest, ReadsAPipe) {
  const TempFolder folder;
  const std::string fifo = folder.File("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const std::string text = RandomText(50000);
  for (const std::string& bytes : {text, Gzip(text)}) {
    std::thread writer([&] { folder.Write("fifo", bytes); });
    ReadPlan plan = PlanForFiles({fifo});
    plan.block_bytes = 1000;
    const Corpus corpus = Read(plan);
    writer.join();
    EXPECT_EQ(TextOf(corpus), TextOf(Read(PlanFor(text))));
  }
}

TEST(CorpusReaderTest, ReadsStandardInput) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "from a\npipe", 11), 11);
  close(ends[1]);
  const int saved = dup(STDIN_FILENO);
  dup2(ends[0], STDIN_FILENO);
  const Corpus corpus = Read(PlanForFiles({"-"}));
  dup2(saved, STDIN_FILENO);
  close(saved);
  close(ends[0]);
  EXPECT_EQ(TextOf(corpus), "from a\npipe\n");
}

TEST(CorpusReaderTest, StopsWhileAPipeIsSilent) {
  const TempFolder folder;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::atomic<bool> stop = false;
  Hooks hooks;
  hooks.stop = &stop;
  std::thread stopper([&] { stop = true; });
  const auto corpus = ReadAsPlanned(
      PlanForFiles({"/proc/self/fd/" + std::to_string(ends[0])}), hooks);
  stopper.join();
  close(ends[0]);
  close(ends[1]);
  EXPECT_EQ(corpus.status().code(), absl::StatusCode::kCancelled);
}

struct FailureCase {
  const char* name;
  std::string bytes;
  uint64_t min_count;
  absl::StatusCode code;
  const char* message;
};

TEST(CorpusReaderTest, SaysWhyThereIsNoCorpus) {
  const TempFolder folder;
  const std::string packed = Zstd(RandomText(5000));
  const FailureCase cases[] = {
      {"empty", "", 1, absl::StatusCode::kInvalidArgument,
       ": the input contains no tokens (0 bytes)"},
      {"white space", " \n\t\n", 1, absl::StatusCode::kInvalidArgument,
       ": the input contains no tokens (4 bytes)"},
      {"rare words", "b a c a\n", 5, absl::StatusCode::kInvalidArgument,
       "occurs 5 times (min-count); the most frequent word, \"a\", has the "
       "count 2"},
      {"no min count", "a", 0, absl::StatusCode::kInvalidArgument,
       "min-count: expected 1 or more, found 0"},
      {"truncated", packed.substr(0, packed.size() - 1), 1,
       absl::StatusCode::kDataLoss, "truncated: truncated or corrupt zstd"},
      {"packed nothing", Gzip(""), 1, absl::StatusCode::kInvalidArgument,
       "contains no tokens (0 bytes)"},
  };
  for (const FailureCase& c : cases) {
    for (const int threads : {1, 3}) {
      ReadPlan plan = PlanForFiles({folder.Write(c.name, c.bytes)});
      plan.vocabulary_options.min_count = c.min_count;
      plan.options.threads = threads;
      plan.block_bytes = 64;
      const auto corpus = ReadAsPlanned(plan, {});
      EXPECT_EQ(corpus.status().code(), c.code) << c.name;
      EXPECT_THAT(corpus.status().message(), HasSubstr(c.message));
    }
  }
  EXPECT_EQ(ReadAsPlanned(PlanForFiles({}), {}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadAsPlanned(PlanForFiles({"/no/such"}), {}).status().code(),
            absl::StatusCode::kNotFound);
}

TEST(CorpusReaderTest, FailsWhereTheSpoolCannotBe) {
  const std::string text = RandomText(5000);
  ReadPlan plan = PlanFor(text);
  plan.options.memory_bytes = 10000;
  plan.options.temp_dir = "/no/such/folder";
  plan.options.threads = 3;
  plan.block_bytes = 100;
  const Vocabulary vocabulary = *Vocabulary::Create({"w0"}, {});
  plan.vocabulary = &vocabulary;
  plan.options.memory_bytes = 100;
  const auto corpus = ReadAsPlanned(plan, {});
  EXPECT_THAT(corpus.status().message(), HasSubstr("/no/such/folder: "));
}

TEST(CorpusReaderTest, StopsWhenAsked) {
  const std::string text = RandomText(5000);
  const std::atomic<bool> stop = true;
  Hooks hooks;
  hooks.stop = &stop;
  EXPECT_EQ(ReadAsPlanned(PlanFor(text), hooks).status().code(),
            absl::StatusCode::kCancelled);
}

TEST(CorpusReaderTest, ReportsProgressAtTheEndAtLeast) {
  const std::string text = RandomText(5000);
  Recorder recorder;
  Hooks hooks;
  hooks.progress = &recorder;
  const auto corpus = ReadAsPlanned(PlanFor(text), hooks);
  ASSERT_TRUE(corpus.ok());
  EXPECT_EQ(recorder.last.bytes, text.size());
  EXPECT_EQ(recorder.last.tokens, corpus->report.tokens);
  EXPECT_EQ(recorder.last.types, corpus->report.types_seen);
}

TEST(ReadCorpusTest, PublicCallsAgree) {
  const std::string text = RandomText(5000);
  CorpusOptions options;
  options.text = text;
  VocabularyOptions vocabulary_options;
  vocabulary_options.min_count = 3;
  const auto corpus = ReadCorpus(options, vocabulary_options);
  ASSERT_TRUE(corpus.ok());
  const auto counted = CountWords(options, vocabulary_options);
  ASSERT_TRUE(counted.ok());
  EXPECT_EQ(counted->tokens, nullptr);
  EXPECT_EQ(CountsOf(counted->vocabulary), CountsOf(corpus->vocabulary));
  EXPECT_EQ(Summary(counted->report), Summary(corpus->report));
  const auto again = ReadCorpus(options, counted->vocabulary);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->tokens->tokens(), corpus->tokens->tokens());
  EXPECT_EQ(again->report.types_seen, corpus->report.types_seen);
}

TEST(ReadCorpusTest, ReadsTheTestCorpus) {
  const char* data = std::getenv("FIRTH_DATA");
  if (data == nullptr) GTEST_SKIP() << "FIRTH_DATA is not set";
  CorpusOptions options;
  options.inputs = {std::string(data) + "/corpus.en.txt.zst"};
  const auto corpus = CountWords(options, {});
  ASSERT_TRUE(corpus.ok()) << corpus.status();
  EXPECT_EQ(corpus->report.tokens, 53675968u);
  EXPECT_EQ(corpus->report.lines, 681760u);
  ExpectAccounted(corpus->report);
}

}  // namespace
}  // namespace firth
