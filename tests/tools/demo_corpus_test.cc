#include "tools/demo/demo_corpus.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kSmallGrammar[] = R"(# a comment
words thing
  stone box
  lamp
paradigm verb: base past
  walk walked | road path
  sing sang | song choir
  say said | word speech
sentences 1
  they $verb.past and {we|i} $verb.base near the $verb.own {of the $thing|}
questions past-tense: verb.base verb.past
)";

// A file of the repository; `make test` says where that is.
std::string DatasetPath(const std::string& name) {
  const char* source = std::getenv("FIRTH_SOURCE");
  return absl::StrCat(source == nullptr ? "." : source, "/datasets/", name);
}

std::string ReadDataset(const std::string& name) {
  std::ifstream file(DatasetPath(name), std::ios::binary);
  EXPECT_TRUE(file.good()) << DatasetPath(name);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> Lines(const std::string& text) {
  return absl::StrSplit(text, '\n', absl::SkipEmpty());
}

std::vector<std::string> Tokens(const std::string& line) {
  return absl::StrSplit(line, ' ');
}

TEST(DemoCorpusTest, OneSeedGivesTheSameBytesAndAnotherOneOthers) {
  const auto corpus = GenerateDemoCorpus(kSmallGrammar, 1000, 7);
  ASSERT_TRUE(corpus.ok()) << corpus.status();
  EXPECT_EQ(*corpus, *GenerateDemoCorpus(kSmallGrammar, 1000, 7));
  EXPECT_NE(*corpus, *GenerateDemoCorpus(kSmallGrammar, 1000, 8));
}

TEST(DemoCorpusTest, SeedGivesTheSameBytesOnEveryMachine) {
  EXPECT_EQ(*GenerateDemoCorpus(kSmallGrammar, 20, 1),
            "they said and we say near the word\n"
            "they walked and we walk near the path\n"
            "they sang and i sing near the song\n");
}

TEST(DemoCorpusTest, StopsAfterTheSentenceThatReachesTheWordsAskedFor) {
  for (const uint64_t words : {0, 1, 8, 9, 500}) {
    const std::string corpus = *GenerateDemoCorpus(kSmallGrammar, words, 3);
    const std::vector<std::string> lines = Lines(corpus);
    size_t found = 0;
    for (const std::string& line : lines) found += Tokens(line).size();
    EXPECT_GE(found, words);
    if (!lines.empty()) {
      EXPECT_LT(found - Tokens(lines.back()).size(), words);
    }
  }
}

TEST(DemoCorpusTest, SlotsOfASentenceSpeakOfTheSameRow) {
  const std::map<std::string, std::vector<std::string>> rows = {
      {"walked", {"walk", "road", "path"}},
      {"sang", {"sing", "song", "choir"}},
      {"said", {"say", "word", "speech"}}};
  std::set<std::string> endings;
  for (const std::string& line :
       Lines(*GenerateDemoCorpus(kSmallGrammar, 5000, 5))) {
    const std::vector<std::string> t = Tokens(line);
    ASSERT_GE(t.size(), 8u) << line;
    const std::vector<std::string>& row = rows.at(t[1]);
    EXPECT_THAT(t[3], testing::AnyOf("we", "i")) << line;
    EXPECT_EQ(t[4], row[0]) << line;
    EXPECT_THAT(t[7], testing::AnyOf(row[1], row[2])) << line;
    endings.insert(t.size() == 8 ? "" : t.back());
  }
  EXPECT_THAT(endings, ElementsAre("", "box", "lamp", "stone"));
}

TEST(DemoCorpusTest, OwnWordsOfASentenceDiffer) {
  const std::string corpus = *GenerateDemoCorpus(
      "paradigm p: f\n  form | a b\nsentences 1\n  $p.own $p.own\n", 200, 1);
  for (const std::string& line : Lines(corpus)) {
    EXPECT_THAT(line, testing::AnyOf("a b", "b a"));
  }
}

TEST(DemoCorpusTest, WordsFollowTheirRankAndBlocksTheirShare) {
  const std::string corpus = *GenerateDemoCorpus(
      "words w\n  a b c d e f g h\nsentences 3\n  $w\nsentences 1\n  z\n",
      100000, 1);
  const auto count = [&corpus](char word) {
    return static_cast<double>(std::count(corpus.begin(), corpus.end(), word));
  };
  EXPECT_NEAR(count('z') / 100000, 0.25, 0.01);
  EXPECT_NEAR(count('a') / count('c'), 2.0, 0.1);  // (2 + 2) / (0 + 2)
  EXPECT_NEAR(count('a') / count('g'), 4.0, 0.2);  // (6 + 2) / (0 + 2)
}

TEST(DemoQuestionsTest, PairEachRowWithOthersOnce) {
  EXPECT_EQ(*GenerateDemoQuestions(kSmallGrammar),
            ": past-tense\n"
            "walk walked sing sang\nwalk walked say said\n"
            "sing sang say said\nsing sang walk walked\n"
            "say said walk walked\nsay said sing sang\n");
}

TEST(DemoQuestionsTest, LeaveOutFormsThatRowsShare) {
  EXPECT_EQ(*GenerateDemoQuestions("paradigm p: f g\n"
                                   "  a euro | x\n  b yen | x\n  c euro | x\n"
                                   "  d won | x\n"
                                   "sentences 1\n  x\n"
                                   "questions currency: p.f p.g\n"),
            ": currency\nb yen d won\nd won b yen\n");
}

struct BadGrammar {
  const char* name;
  const char* grammar;
  const char* message;
};

constexpr BadGrammar kBadGrammars[] = {
    {"empty", "",
     "grammar:1: expected a block of sentences, found none up to the end"},
    {"no sentences", "words w\n  a\n",
     "grammar:3: expected a block of sentences, found none up to the end"},
    {"unknown block", "word w\n",
     "grammar:1: expected words, paradigm, sentences or questions, found "
     "\"word\""},
    {"entry of no block", "  a b\n",
     "grammar:1: expected a block, found an indented line that belongs to "
     "none"},
    {"nothing in a class", "# c\nwords w\nsentences 1\n  a\n",
     "grammar:2: expected indented lines below, found none"},
    {"nothing in the last block", "sentences 1\n",
     "grammar:1: expected indented lines below, found none"},
    {"class without a name", "words\n",
     "grammar:1: expected \"words NAME\", found 1 fields"},
    {"capital in a name", "words W\n",
     "grammar:1: expected a name of letters a-z, found \"W\""},
    {"name used twice", "words w\n  a\nparadigm w: f\n",
     "grammar:3: expected a new name, found \"w\""},
    {"paradigm without forms", "paradigm p\n",
     "grammar:1: expected \"paradigm NAME: FORM FORM ...\", found "
     "\"paradigm p\""},
    {"form called own", "paradigm p: f own\n",
     "grammar:1: expected forms of letters a-z, each once, none called own, "
     "found \"own\""},
    {"form twice", "paradigm p: f f\n",
     "grammar:1: expected forms of letters a-z, each once, none called own, "
     "found \"f\""},
    {"too few forms", "paradigm p: f g\n  a | b\n",
     "grammar:2: expected 2 forms, found 1"},
    {"no own words", "paradigm p: f\n  a\n",
     "grammar:2: expected words of its own after |, found none"},
    {"share of zero", "sentences 0\n",
     "grammar:1: expected \"sentences SHARE\", 1 to 1000000, found \"0\""},
    {"share without a number", "sentences\n",
     "grammar:1: expected \"sentences SHARE\", 1 to 1000000, found "
     "\"sentences\""},
    {"unknown class", "sentences 1\n  a $w\n",
     "grammar:2: expected a word class or PARADIGM.FORM declared above, found "
     "\"$w\""},
    {"unknown paradigm", "sentences 1\n  a $p.f\n",
     "grammar:2: expected a paradigm declared above, found \"p\""},
    {"unknown paradigm of own", "sentences 1\n  a $p.own\n",
     "grammar:2: expected a paradigm declared above, found \"p\""},
    {"unknown form", "paradigm p: f\n  a | b\nsentences 1\n  $p.g\n",
     "grammar:4: expected a form of p, found \"g\""},
    {"brace left open", "sentences 1\n  a {b\n",
     "grammar:2: expected { and } in pairs, none inside another, found "
     "\"{b\""},
    {"brace inside braces", "sentences 1\n  a {b {c} d}\n",
     "grammar:2: expected { and } in pairs, none inside another, found "
     "\"{b {c} d}\""},
    {"closing brace alone", "sentences 1\n  a } b\n",
     "grammar:2: expected { and } in pairs, none inside another, found "
     "\"} b\""},
    {"bar outside of braces", "sentences 1\n  a|b\n",
     "grammar:2: expected | only inside {}, found \"a|b\""},
    {"template that can be empty", "sentences 1\n  {a|b}\n",
     "grammar:2: expected a word outside of {}, found none"},
    {"questions cut short", "sentences 1\n  a\nquestions q: p.f\n",
     "grammar:3: expected \"questions SECTION: PARADIGM.FORM PARADIGM.FORM\", "
     "found 3 fields"},
    {"questions over two paradigms",
     "paradigm p: f\n  a | b\nparadigm q: f\n  a | b\nquestions s: p.f q.f\n",
     "grammar:5: expected two forms of one paradigm, found \"q.f\""},
    {"entry below questions",
     "paradigm p: f g\n  a b | c\nquestions s: p.f p.g\n  a\n",
     "grammar:4: expected a block, found an indented line that belongs to "
     "none"},
};

TEST(DemoGrammarTest, BadGrammarIsRefusedWithLineExpectedAndFound) {
  for (const BadGrammar& bad : kBadGrammars) {
    const auto corpus = GenerateDemoCorpus(bad.grammar, 10, 1);
    EXPECT_EQ(corpus.status().code(), absl::StatusCode::kInvalidArgument)
        << bad.name;
    EXPECT_EQ(std::string(corpus.status().message()), bad.message) << bad.name;
    EXPECT_EQ(GenerateDemoQuestions(bad.grammar).status(), corpus.status())
        << bad.name;
  }
}

// After a change of the grammar:
//   FIRTH_UPDATE=1 make test TEST_ARGS=--gtest_filter='DemoDataset*'
// writes the questions anew.
TEST(DemoDatasetTest, QuestionFileIsWhatTheGrammarSays) {
  const auto questions = GenerateDemoQuestions(ReadDataset("demo.grammar"));
  ASSERT_TRUE(questions.ok()) << questions.status();
  if (std::getenv("FIRTH_UPDATE") != nullptr) {
    std::ofstream(DatasetPath("demo.questions.txt")) << *questions;
  }
  // Not EXPECT_EQ, which would print both.
  EXPECT_TRUE(ReadDataset("demo.questions.txt") == *questions)
      << "demo.questions.txt is not what demo.grammar says";
}

// The two words stand in one row of the grammar's text: checked without the
// parser that made the questions.
TEST(DemoDatasetTest, EveryQuestionFollowsFromTheTables) {
  std::set<std::pair<std::string, std::string>> pairs;
  for (const std::string& line : Lines(ReadDataset("demo.grammar"))) {
    const std::vector<std::string> halves = absl::StrSplit(line, " | ");
    if (line[0] != ' ' || halves.size() != 2) continue;
    const std::vector<std::string> forms =
        absl::StrSplit(halves[0], ' ', absl::SkipEmpty());
    for (const std::string& b : forms) pairs.insert({forms[0], b});
  }
  size_t questions = 0;
  for (const std::string& line : Lines(ReadDataset("demo.questions.txt"))) {
    if (line[0] == ':') continue;
    const std::vector<std::string> t = Tokens(line);
    ASSERT_EQ(t.size(), 4u) << line;
    EXPECT_EQ(pairs.count({t[0], t[1]}), 1u) << line;
    EXPECT_EQ(pairs.count({t[2], t[3]}), 1u) << line;
    EXPECT_NE(t[0], t[2]) << line;
    ++questions;
  }
  EXPECT_GT(questions, 1000u);
  EXPECT_LE(questions, 2000u);
}

// Words that are hardly seen cannot be learned.
TEST(DemoDatasetTest, CorpusHoldsEveryWordOfTheQuestionsOften) {
  const std::string corpus =
      *GenerateDemoCorpus(ReadDataset("demo.grammar"), 1000000, 1);
  std::unordered_map<std::string, int> counts;
  for (const std::string& line : Lines(corpus)) {
    for (const std::string& word : Tokens(line)) ++counts[word];
  }
  for (const std::string& line : Lines(ReadDataset("demo.questions.txt"))) {
    if (line[0] == ':') continue;
    for (const std::string& word : Tokens(line)) {
      EXPECT_GE(counts[word], 30) << word;
    }
  }
}

TEST(DemoDatasetTest, CorpusIsLowerCaseWordsAndSingleSpaces) {
  const std::string corpus =
      *GenerateDemoCorpus(ReadDataset("demo.grammar"), 100000, 1);
  EXPECT_THAT(corpus, testing::Not(HasSubstr("  ")));
  EXPECT_THAT(corpus, testing::Not(HasSubstr(" \n")));
  EXPECT_EQ(corpus.find_first_not_of("abcdefghijklmnopqrstuvwxyz- \n"),
            std::string::npos);
}

}  // namespace
}  // namespace firth::tools
