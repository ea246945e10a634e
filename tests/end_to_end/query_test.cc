// From training to answers: what the program says of vectors it made itself.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "end_to_end/trained_vectors.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/run_program.h"

namespace firth {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

class QueryTest : public TrainedVectorsTest {};

TEST_F(QueryTest, NeighborsShareTheTopic) {
  const Outcome outcome =
      RunFirth({"nn", vectors_, "cat", "--top", "7", "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const json answer = json::parse(outcome.out);
  EXPECT_EQ(answer.at("query"), "cat");
  ASSERT_EQ(answer.at("neighbors").size(), 7u);
  for (const json& neighbor : answer.at("neighbors")) {
    EXPECT_TRUE(IsAnimal(neighbor.at("word"))) << neighbor;
    EXPECT_LE(neighbor.at("score"), 1.0);
  }
}

TEST_F(QueryTest, NeighborsAreAlignedColumns) {
  const Outcome outcome = RunFirth({"nn", vectors_, "saw", "--top", "2"});
  EXPECT_THAT(outcome.out, MatchesRegex("([a-z]+ +0.[0-9][0-9][0-9][0-9]\n)+"));
  EXPECT_THAT(RunFirth({"nn", vectors_, "saw", "cat"}).out,
              AllOf(StartsWith("saw\n  "), HasSubstr("\ncat\n  ")));
}

TEST_F(QueryTest, DecimalsAreAsAsked) {
  const std::string many =
      RunFirth({"nn", vectors_, "saw", "--top", "1", "--digits", "9"}).out;
  EXPECT_THAT(many, MatchesRegex("[a-z]+ +0.[0-9]{9}\n"));
  EXPECT_THAT(
      RunFirth({"similarity", vectors_, "cat", "dog", "--digits", "2"}).out,
      MatchesRegex("0.[0-9][0-9]\n"));
  const Outcome both =
      RunFirth({"nn", vectors_, "saw", "--digits", "2", "--json"});
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.err, HasSubstr("--digits cannot be combined with --json"));
}

// The digits that read back as the float, and no more.
TEST_F(QueryTest, JsonHasAllDigitsOfACosine) {
  const std::string path = File("v.vec", "2 2\na 1 0\nb 1 3\n");
  EXPECT_EQ(RunFirth({"similarity", path, "a", "b", "--json"}).out,
            "{\"query\":\"a b\",\"similarity\":0.31622776,"
            "\"unknown\":[],\"composed\":[]}\n");
  EXPECT_THAT(RunFirth({"nn", path, "a", "--json"}).out,
              HasSubstr("\"score\":0.31622776,"));
  EXPECT_THAT(
      RunFirth({"vectors", File("w.vec", "1 1\na 0.1\n"), "a", "--json"}).out,
      HasSubstr("\"vector\":[0.1]"));
}

// The forms of one question have the same answer.
TEST_F(QueryTest, SumsOfWordsAreQuestions) {
  const json expected =
      json::parse(
          RunFirth({"analogy", vectors_, "cat", "dog", "cow", "--json"}).out)
          .at("neighbors");
  ASSERT_EQ(expected.size(), 10u);
  const std::vector<std::vector<std::string>> forms = {
      {"nn", vectors_, "dog", "-cat", "cow", "--json"},
      {"nn", vectors_, "--json", "-cat", "dog", "cow"},
      {"nn", vectors_, "dog", "-", "cat", "+", "cow", "--json"},
      {"nn", vectors_, "--positive", "dog,cow", "--negative", "cat", "--json"}};
  for (const std::vector<std::string>& form : forms) {
    const Outcome outcome = RunFirth(form);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const json found = json::parse(outcome.out).at("neighbors");
    ASSERT_EQ(found.size(), 10u);
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].at("word"), expected[i].at("word"));
      EXPECT_NEAR(found[i].at("score"), expected[i].at("score"), 2e-6);
    }
  }
  const auto lines = JsonLines(
      RunFirth({"nn", vectors_, "--json"}, {.input = "dog -cat cow\ncat dog\n"})
          .out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].at("query"), "dog + cow - cat");
  EXPECT_EQ(lines[0], json::parse(RunFirth(forms[0]).out));
  EXPECT_EQ(lines[2].at("query"), "dog");
}

TEST_F(QueryTest, ANameOfAnOptionIsNoWordToSubtract) {
  const Outcome outcome = RunFirth({"nn", vectors_, "cat", "-json"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("-json"));
}

TEST_F(QueryTest, VectorsArePrintedAndAskedAgain) {
  const Outcome printed = RunFirth({"vectors", vectors_, "cat", "saw"});
  EXPECT_EQ(printed.code, 0) << printed.err;
  EXPECT_THAT(printed.out, StartsWith("cat "));
  const auto loaded = LoadVectorFile(vectors_);
  ASSERT_TRUE(loaded.ok());
  std::istringstream numbers(printed.out);
  for (const char* word : {"cat", "saw"}) {
    std::string label;
    numbers >> label;
    EXPECT_EQ(label, word);
    const std::optional<absl::Span<const float>> row =
        loaded->vectors.Find(word);
    ASSERT_TRUE(row.has_value());
    for (const float expected : *row) {
      float value = 0;
      numbers >> value;
      EXPECT_EQ(value, expected);
    }
  }
  const auto answers = JsonLines(
      RunFirth({"nn", vectors_, "--by-vector", "--json", "--top", "1"},
               {.input = printed.out})
          .out);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].at("neighbors")[0].at("word"), "cat");
  EXPECT_EQ(answers[1].at("query"), "saw");
  EXPECT_EQ(answers[1].at("neighbors")[0].at("word"), "saw");

  const Outcome wrong =
      RunFirth({"nn", vectors_, "--by-vector"},
               {.input = "1 2 3\nx" + std::string(32, ' ') + "nan\n"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.err,
              AllOf(HasSubstr("standard input:1: expected 16 numbers, or a "
                              "label and 16 numbers, found 3"),
                    HasSubstr("standard input:2: ")));
}

TEST_F(QueryTest, VectorsGoToAFileOfAnyFormat) {
  const Outcome outcome =
      RunFirth({"vectors", vectors_, "--output", Path("some.vec")},
               {.input = "cat\nsaw cat\n"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto all = LoadVectorFile(vectors_);
  const auto some = LoadVectorFile(Path("some.vec"));
  ASSERT_TRUE(all.ok() && some.ok());
  EXPECT_THAT(some->vectors.vocabulary().Words(), ElementsAre("cat", "saw"));
  EXPECT_EQ(some->vectors.Find("saw"), all->vectors.Find("saw"));

  const Outcome unknown = RunFirth(
      {"vectors", vectors_, "cat", "nosuch", "--output", Path("none.vec")});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("\"nosuch\" is not in the vocabulary"));
  EXPECT_FALSE(std::filesystem::exists(Path("none.vec")));
}

TEST_F(QueryTest, OnlyTheWordsOfAListAreAnswers) {
  WriteWholeFile(Path("list"), "saw\ndog\nnosuch\ncat\n");
  const Outcome outcome =
      RunFirth({"nn", vectors_, "cat", "--within", Path("list"), "--json"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("1 of 4 words have no vectors"));
  std::vector<std::string> found;
  const json answer = json::parse(outcome.out);
  for (const json& neighbor : answer.at("neighbors")) {
    found.push_back(neighbor.at("word"));
  }
  EXPECT_THAT(found, testing::UnorderedElementsAre("saw", "dog"));
}

TEST_F(QueryTest, RankAndCloserAgreeWithTheNeighbors) {
  const json all = json::parse(
      RunFirth({"nn", vectors_, "cat", "--json", "--top", "100000"}).out);
  const std::string fifth = all.at("neighbors")[4].at("word");
  EXPECT_EQ(RunFirth({"rank", vectors_, "cat", fifth}).out, "5\n");
  const json closer =
      json::parse(RunFirth({"closer", vectors_, "cat", fifth, "--json"}).out);
  ASSERT_EQ(closer.at("neighbors").size(), 4u);
  EXPECT_EQ(closer.at("neighbors")[3], all.at("neighbors")[3]);
}

TEST_F(QueryTest, ManyWordsHaveAMatrixOfSimilarities) {
  const json pair = json::parse(
      RunFirth({"similarity", vectors_, "cat", "dog", "--json"}).out);
  const json matrix = json::parse(
      RunFirth({"matrix", vectors_, "cat", "saw", "dog", "--json"}).out);
  ASSERT_EQ(matrix.at("similarity").size(), 3u);
  EXPECT_EQ(matrix.at("similarity")[0][2], pair.at("similarity"));
  EXPECT_EQ(matrix.at("similarity")[2][0], pair.at("similarity"));
  EXPECT_FLOAT_EQ(matrix.at("similarity")[1][1], 1.0f);
  EXPECT_THAT(
      RunFirth({"matrix", vectors_, "cat", "saw", "dog"}).out,
      MatchesRegex(" +cat +saw +dog\ncat +1.0000 .*\nsaw .*\ndog .*\n"));
}

TEST_F(QueryTest, AnswersOfSeveralListsNameThem) {
  const std::string one = File("one.vec", "3 2\na 1 0\nb 4 3\nc 0 1\n");
  const std::string two = File("two.vec", "3 2\na 1 0\nb 4 3\nd 3 4\n");
  const Outcome compared = RunFirth({"compare", one, two, "a"});
  EXPECT_EQ(compared.code, 0) << compared.err;
  EXPECT_EQ(compared.out,
            "only first\n  c  0.0000\n"
            "only second\n  d  0.6000\n"
            "both\n  word   first  second\n  b     0.8000  0.8000\n");
  const Outcome unknown = RunFirth({"compare", one, two, "c"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err,
              HasSubstr("two.vec: \"c\" is not in the vocabulary"));
  EXPECT_THAT(unknown.out, StartsWith("only first\n  b "));
  EXPECT_EQ(
      RunFirth({"axis", one, "--from", "a", "--to", "c", "--words", "b,c"}).out,
      "b  -0.1414\nc   0.7071\n");
}

TEST_F(QueryTest, WordsWithoutAnAnswerHaveNoText) {
  const Outcome outcome =
      RunFirth({"nn", vectors_, "--top", "1", "--oov", "skip"},
               {.input = "nosuch\ncat\n"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("cat\n  "));
  const Outcome both =
      RunFirth({"similarity", vectors_,
                File("few.vec", "2 2\ncat 1 2\nx 3 4\n"), "cat", "dog"});
  EXPECT_EQ(both.code, 1);
  EXPECT_THAT(both.out, MatchesRegex(".*few.vec *\n0\\.[0-9]+ +- *\n"));
  EXPECT_THAT(both.err, HasSubstr("few.vec: \"dog\" is not in the vocabulary"));
}

TEST_F(QueryTest, NeighborsOfAllWordsGoToAFile) {
  const Outcome outcome =
      RunFirth({"nn", vectors_, "--all", Path("all.tsv"), "--top", "2"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const json first = json::parse(
      RunFirth({"nn", vectors_, "cat", "--json", "--top", "1"}).out);
  const std::string nearest = first.at("neighbors")[0].at("word");
  EXPECT_THAT(ReadWholeFile(Path("all.tsv")),
              HasSubstr(absl::StrCat("cat\t", nearest, "\t0.")));
}

TEST_F(QueryTest, TwoModelsAnswerSideBySide) {
  const Outcome vec =
      RunFirth({"convert", vectors_, Path("copy.vec"), "--lossy"});
  ASSERT_EQ(vec.code, 0) << vec.err;
  const Outcome outcome = RunFirth(
      {"nn", vectors_, Path("copy.vec"), "cat", "--top", "1", "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const json answer = json::parse(outcome.out);
  ASSERT_EQ(answer.at("models").size(), 2u);
  EXPECT_EQ(answer.at("models")[1].at("file"), Path("copy.vec"));
  EXPECT_EQ(answer.at("models")[0].at("answer").at("neighbors")[0].at("word"),
            answer.at("models")[1].at("answer").at("neighbors")[0].at("word"));
  const Outcome text =
      RunFirth({"similarity", vectors_, Path("copy.vec"), "cat", "dog"});
  EXPECT_THAT(text.out, MatchesRegex(".*/v.safetensors +.*/copy.vec\n"
                                     "(-?0\\.[0-9]{4}) +-?0\\.[0-9]{4}\n"));
}

TEST_F(QueryTest, WhatIsAWordAndAFileIsAWord) {
  // In this folder lies a model whose name is a word.
  WriteWholeFile(Path("cat"), "1 2\nx 1 2\n");
  const std::string command =
      absl::StrCat("cd '", Path(""), "' && '", ProgramPath(), "' nn '",
                   vectors_, "' cat --top 1 >out");
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(ReadWholeFile(Path("out")),
            RunFirth({"nn", vectors_, "cat", "--top", "1"}).out);
  // A damaged second model is told.
  const Outcome damaged =
      RunFirth({"nn", vectors_, File("b.vec", "2 2\nx 1 2\n"), "cat"});
  EXPECT_EQ(damaged.code, 1);
  EXPECT_THAT(damaged.err, HasSubstr("b.vec:"));
}

TEST_F(QueryTest, SumsWithoutADirectionAreErrors) {
  const Outcome outcome = RunFirth({"nn", vectors_, "cat", "-cat"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(
      outcome.err,
      HasSubstr(
          "cat - cat: the sum of the vectors is zero, so it has no direction"));
  EXPECT_THAT(outcome.out, IsEmpty());
}

TEST_F(QueryTest, ManyQuotientsStayNumbers) {
  std::string terms = "cat";
  for (int i = 0; i < 1500; ++i) terms += " - dog + saw";
  const Outcome outcome =
      RunFirth({"nn", vectors_, "--method", "mul", "--json"}, {.input = terms});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const json answers = json::parse(outcome.out).at("neighbors");
  EXPECT_FALSE(answers.empty());
  for (const json& answer : answers) {
    EXPECT_TRUE(answer.at("score").is_number()) << answer;
  }
}

TEST_F(QueryTest, AnIndexIsNotReplacedByTheNeighborsItFinds) {
  const std::string copy = Path("m.safetensors");
  WriteWholeFile(copy, ReadWholeFile(vectors_));
  ASSERT_EQ(RunFirth({"index", copy, "--sample", "0"}).code, 0);
  const std::string index = ReadWholeFile(copy + ".hnsw");
  const Outcome outcome =
      RunFirth({"nn", copy, "--index", "hnsw", "--all", copy + ".hnsw"});
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_TRUE(ReadWholeFile(copy + ".hnsw") == index);
}

TEST_F(QueryTest, TextsAreComparedByTheirWords) {
  const Outcome same =
      RunFirth({"text-similarity", vectors_, "the cat saw", "saw the cat"});
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_EQ(same.out, "0.0000\n");
  const Outcome lines =
      RunFirth({"text-similarity", vectors_, "--measure", "mean", "--json"},
               {.input = "cat\tdog\ncat\nnosuch\tcat\n"});
  EXPECT_EQ(lines.code, 1);
  const Outcome text =
      RunFirth({"text-similarity", vectors_}, {.input = "cat\n\ncat\tcat\n"});
  EXPECT_EQ(text.out, "-\n-\n0.0000\n");
  EXPECT_THAT(text.err,
              HasSubstr("standard input:1: expected 2 texts, found 1"));
  const auto answers = JsonLines(lines.out);
  ASSERT_EQ(answers.size(), 3u);
  const json pair = json::parse(
      RunFirth({"similarity", vectors_, "cat", "dog", "--json"}).out);
  EXPECT_NEAR(answers[0].at("value"), pair.at("similarity"), 1e-5);
  EXPECT_THAT(answers[1].at("error"), HasSubstr("expected 2 texts, found 1"));
  EXPECT_EQ(answers[2], json({{"texts", {"nosuch", "cat"}}, {"value", {}}}));
}

TEST_F(QueryTest, SentenceVectorsStandBesideTheirLines) {
  const std::string text = "the cat saw\n\ndog\n";
  const Outcome plain =
      RunFirth({"sentence-vectors", vectors_}, {.input = text});
  std::istringstream rows(plain.out);
  std::string expected;
  for (const char* line : {"the cat saw", "", "dog"}) {
    std::string row;
    ASSERT_TRUE(std::getline(rows, row));
    absl::StrAppend(&expected, line, "\t", row, "\n");
  }
  EXPECT_EQ(
      RunFirth({"sentence-vectors", vectors_, "--with-line"}, {.input = text})
          .out,
      expected);
}

TEST_F(QueryTest, EveryIndexGivesTheSameAnswers) {
  const Outcome built = RunFirth({"index", vectors_, "--sample", "10"});
  EXPECT_EQ(built.code, 0) << built.err;
  EXPECT_THAT(built.out, AllOf(StartsWith("search  recall@10  queries/s\n"),
                               HasSubstr("\nint8       1.0000 "),
                               HasSubstr("\nhnsw       1.0000 ")));
  const std::string exact = RunFirth({"nn", vectors_, "cat"}).out;
  EXPECT_FALSE(exact.empty());
  for (const char* index : {"exact", "int8", "hnsw"}) {
    EXPECT_EQ(RunFirth({"nn", vectors_, "cat", "--index", index}).out, exact)
        << index;
    EXPECT_EQ(
        RunFirth({"analogy", vectors_, "cat", "dog", "saw", "--index", index})
            .out,
        RunFirth({"analogy", vectors_, "cat", "dog", "saw"}).out)
        << index;
  }
}

// All are equally near to each other.
TEST_F(QueryTest, EqualTextsAreFoundForEachOther) {
  std::string texts;
  for (int i = 0; i < 60; ++i)
    texts += "id" + std::to_string(i) + "\tcat dog\n";
  const Outcome built =
      RunFirth({"index", vectors_, "--texts", File("equal", texts), "--ids",
                "--output", File("equal.safetensors", "")});
  EXPECT_EQ(built.code, 0) << built.err;
  EXPECT_THAT(built.out, HasSubstr("\nhnsw       1.0000 "));
  EXPECT_THAT(built.err, Not(HasSubstr("misses")));
  const std::string words = File("words.safetensors", "");
  ASSERT_EQ(
      RunFirth({"index", vectors_, "--texts", File("texts", "cat dog\ncow\n"),
                "--output", words, "--sample", "0"})
          .code,
      0);
  const Outcome unknown = RunFirth({"nn", words, "cat dig"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("\"cat dig\" is not in the"),
                                 Not(HasSubstr("without quotes"))));
}

TEST_F(QueryTest, IndexAsJsonHasWhatWasMeasured) {
  const Outcome built =
      RunFirth({"index", vectors_, "--sample", "10", "--json"});
  const json answer = json::parse(built.out);
  EXPECT_EQ(answer.at("index"), vectors_ + ".hnsw");
  EXPECT_EQ(answer.at("bytes"), std::filesystem::file_size(vectors_ + ".hnsw"));
  ASSERT_EQ(answer.at("searches").size(), 3u);
  EXPECT_EQ(answer.at("searches")[0].at("search"), "exact");
  EXPECT_EQ(answer.at("searches")[2].at("recall"), 1.0);
}

TEST_F(QueryTest, AMissingOrStaleIndexSaysWhatToDo) {
  const std::string vectors = File("few.txt", "2 2\na 1 2\nb 3 4\n");
  const Outcome missing = RunFirth({"nn", vectors, "a", "--index", "hnsw"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err,
              AllOf(HasSubstr("few.txt.hnsw: cannot open: No such file"),
                    HasSubstr("\"firth index " + vectors + "\" builds it")));
  ASSERT_EQ(RunFirth({"index", vectors}).code, 0);
  EXPECT_EQ(RunFirth({"nn", vectors, "a", "--index", "hnsw"}).code, 0);
  File("few.txt", "2 2\na 1 2\nb 3 5\n");
  const Outcome stale = RunFirth({"nn", vectors, "a", "--index", "hnsw"});
  EXPECT_EQ(stale.code, 1);
  EXPECT_THAT(stale.err, HasSubstr("expected an index of these vectors"));
}

TEST_F(QueryTest, WordsThatComeTogetherAreAnsweredAsOneByOne) {
  std::string words, expected;
  for (const char* word : {"cat", "saw", "dog", "hammer", "cow", "hen"}) {
    words += std::string(word) + "\n";
    expected += std::string(word) + "\n";
    std::istringstream lines(RunFirth({"nn", vectors_, word}).out);
    for (std::string line; std::getline(lines, line);) {
      expected += "  " + line + "\n";
    }
  }
  EXPECT_EQ(RunFirth({"nn", vectors_}, {.input = words}).out, expected);
  // Without a line end after the last word, and with unknown words between.
  const Outcome outcome =
      RunFirth({"nn", vectors_}, {.input = "unheardof\n" + words + "nor this"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, expected);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("standard input:1: \"unheardof\" is not"),
                    HasSubstr("standard input:8: \"nor\" is not")));
}

TEST_F(QueryTest, OddWordIsTheOneOfTheOtherTopic) {
  EXPECT_EQ(RunFirth({"odd", vectors_, "cat", "dog", "drill", "cow"}).out,
            "drill\n");
}

TEST_F(QueryTest, SimilarityAndAnalogyAnswer) {
  const json within = json::parse(
      RunFirth({"similarity", vectors_, "cat", "dog", "--json"}).out);
  const json across = json::parse(
      RunFirth({"similarity", vectors_, "cat", "saw", "--json"}).out);
  EXPECT_GT(within.at("similarity"), across.at("similarity"));
  for (const std::string method : {"add", "mul"}) {
    const json answer =
        json::parse(RunFirth({"analogy", vectors_, "cat", "dog", "saw",
                              "--method", method, "--json"})
                        .out);
    ASSERT_EQ(answer.at("neighbors").size(), 10u);
    EXPECT_FALSE(IsAnimal(answer.at("neighbors")[0].at("word")));
  }
}

TEST_F(QueryTest, UnknownWordNamesTheClosest) {
  const Outcome outcome = RunFirth({"nn", vectors_, "hrose"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err,
              HasSubstr("firth: \"hrose\" is not in the vocabulary; did you "
                        "mean horse"));
}

TEST_F(QueryTest, WordsInOneArgumentAndCapitalsAreToldWhatToType) {
  for (const char* typed : {"cat dog", "cat,dog", "Cat, dog"}) {
    const Outcome outcome = RunFirth({"nn", vectors_, typed});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.err,
              absl::StrCat("firth: \"", typed,
                           "\" is not in the vocabulary; write the words as "
                           "separate arguments: cat dog\n"));
  }
  EXPECT_THAT(RunFirth({"nn", vectors_, "cat unknown"}).err,
              HasSubstr("; write each word as a separate argument"));
  EXPECT_EQ(
      RunFirth({"nn", vectors_, "HORSE"}).err,
      "firth: \"HORSE\" is not in the vocabulary; use lower case: horse\n");
}

TEST_F(QueryTest, LinesAreAnsweredToTheEndDespiteErrors) {
  const Outcome outcome = RunFirth({"similarity", vectors_},
                                   {.input = "cat dog\ncat\n\ncow x\ncow hen"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("cat dog  0."), HasSubstr("cow hen  0.")));
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("standard input:2: expected 2 words, found 1"),
                    HasSubstr("standard input:4: \"x\" is not in the")));
  EXPECT_EQ(RunFirth({"nn", vectors_}, {.input = "cat dog\n"}).code, 0);
}

TEST_F(QueryTest, JsonGivesOneObjectALineAlsoForErrors) {
  const Outcome outcome = RunFirth({"nn", vectors_, "--json"},
                                   {.input = "cat\nnowhere\xff\ndog\n"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, IsEmpty());
  const std::vector<json> lines = JsonLines(outcome.out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(lines[0].contains("neighbors"));
  EXPECT_EQ(lines[1].at("unknown").size(), 1u);
  EXPECT_THAT(lines[1].at("neighbors"), IsEmpty());
  EXPECT_EQ(lines[2].at("query"), "dog");
}

TEST_F(QueryTest, AReaderThatLeavesEndsItQuietly) {
  std::string questions;
  for (int i = 0; i < 20000; ++i) questions += "cat\n";
  const std::string command = ProgramPath() + " nn " + vectors_ + " <" +
                              File("questions", questions) + " 2>" +
                              Path("err") + " | head -1 >" + Path("out");
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(ReadWholeFile(Path("out")), "cat\n");
  EXPECT_THAT(ReadWholeFile(Path("err")), IsEmpty());
}

TEST_F(QueryTest, EvaluationPrintsSectionsAndJson) {
  const std::string analogies =
      File("q.txt",
           ": animals\ncat dog cow hen\ncat dog cow unicorn\n"
           ": gram1\nsaw drill file vise\n");
  const std::string pairs =
      File("pairs.tsv", "cat\tdog\t9\ncat\tsaw\t1\nsaw\tdrill\t8\ncat\tx\t5\n");
  const Outcome table = RunFirth(
      {"eval", vectors_, "--analogies", analogies, "--similarity", pairs});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, AllOf(HasSubstr("animals"), HasSubstr("semantic"),
                               HasSubstr("syntactic"), HasSubstr("total"),
                               HasSubstr("66.7%"), HasSubstr("75.0%")));
  const Outcome object = RunFirth({"eval", vectors_, "--analogies", analogies,
                                   "--similarity", pairs, "--json"});
  const json result = json::parse(object.out);
  const json& analogy = result.at("analogies").at(0);
  EXPECT_EQ(analogy.at("file"), "q.txt");
  EXPECT_EQ(analogy.at("sections").size(), 2u);
  EXPECT_EQ(analogy.at("sections").at(0).at("name"), "animals");
  EXPECT_EQ(analogy.at("all").at("asked"), 2);
  EXPECT_EQ(analogy.at("all").at("total"), 3);
  EXPECT_EQ(result.at("similarity").at(0).at("asked"), 3);
  EXPECT_TRUE(result.at("similarity").at(0).at("spearman").is_number());
}

TEST_F(QueryTest, TwoModelsAreMeasuredSideBySide) {
  const std::string analogies = File(
      "q.txt", ": animals\ncat dog cow hen\n: gram1\nsaw drill file vise\n");
  const std::string pairs = File(
      "pairs.tsv", "cat\tdog\t9\ncat\tsaw\t1\nsaw\tdrill\t8\ncow\tsaw\t2\n");
  // A second model without one of the words.
  const Outcome other =
      RunFirth({"vectors", vectors_, "--output", Path("b.vec")},
               {.input = "cat dog hen saw drill file vise"});
  ASSERT_EQ(other.code, 0) << other.err;
  std::vector<std::string> eval = {"eval",        vectors_,  Path("b.vec"),
                                   "--analogies", analogies, "--similarity",
                                   pairs};
  const Outcome table = RunFirth(eval);
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(
      table.out,
      AllOf(HasSubstr("animals      0     -"), HasSubstr("gram1        1  "),
            HasSubstr("asked of A 2, of B 1, of both 1 of 2 questions"),
            HasSubstr("+0.0000  1.000")));
  eval.emplace_back("--json");
  const Outcome object = RunFirth(eval);
  const json result = json::parse(object.out);
  EXPECT_EQ(result.at("other").at("analogies").at(0).at("all").at("asked"), 1);
  const json& compared = result.at("compared");
  EXPECT_EQ(compared.at("analogies").at(0).at("sections").size(), 3u);
  EXPECT_EQ(compared.at("similarity").at(0).at("asked"), 3);
  EXPECT_EQ(compared.at("similarity").at(0).at("p"), 1.0);
}

TEST_F(QueryTest, TextsAreIndexedAndFoundByOtherTexts) {
  const std::string texts =
      File("texts", "cat dog\nsaw drill\n\nunicorn\ncat dog\nsaw cat\n");
  const std::string output = Path("texts.safetensors");
  const Outcome indexed = RunFirth({"index", vectors_, "--texts", texts,
                                    "--output", output, "--sample", "0"});
  ASSERT_EQ(indexed.code, 0) << indexed.err;
  EXPECT_THAT(indexed.err, AllOf(HasSubstr("left out 1 text without"),
                                 HasSubstr(".hnsw: 3 texts")));
  const Outcome encoded =
      RunFirth({"sentence-vectors", vectors_}, {.input = "dog cat dog\n"});
  const Outcome found = RunFirth(
      {"nn", output, "--index", "hnsw", "--by-vector", "--top", "3", "--json"},
      {.input = encoded.out});
  ASSERT_EQ(found.code, 0) << found.err;
  const json neighbors = json::parse(found.out).at("neighbors");
  ASSERT_EQ(neighbors.size(), 3u);
  EXPECT_EQ(neighbors.at(0).at("word"), "cat dog");
  EXPECT_EQ(neighbors.at(2).at("word"), "saw drill");

  const Outcome named = RunFirth(
      {"index", vectors_, "--texts", File("ids", "a1\tcat dog\nb2\tcat dog\n"),
       "--ids", "--output", output, "--sample", "0"});
  ASSERT_EQ(named.code, 0) << named.err;
  EXPECT_THAT(RunFirth({"nn", output, "a1"}).out, HasSubstr("b2"));
}

TEST_F(QueryTest, TextsThatCannotBeIndexedAreNamed) {
  const std::string output = Path("texts.safetensors");
  const auto error = [&](const std::string& texts,
                         std::vector<std::string> more) {
    more.insert(more.begin(), {"index", vectors_, "--texts", texts});
    const Outcome outcome = RunFirth(more);
    EXPECT_NE(outcome.code, 0);
    EXPECT_FALSE(std::filesystem::exists(output));
    return outcome.err;
  };
  EXPECT_THAT(error(File("a", "cat\n"), {}),
              HasSubstr("--texts requires --output"));
  EXPECT_THAT(error(File("a", "1\tcat\ndog\n"), {"--output", output, "--ids"}),
              HasSubstr("a:2: expected an id, a tab and a text"));
  EXPECT_THAT(
      error(File("a", "1\tcat\n1\tdog\n"), {"--output", output, "--ids"}),
      HasSubstr("a:2: expected an id that occurs only once, found \"1\""));
  EXPECT_THAT(error(File("a", "unicorn\n"), {"--output", output}),
              HasSubstr("no text contains a word that has a vector"));
  EXPECT_NE(RunFirth({"index", vectors_, "--output", output}).code, 0);
}

TEST_F(QueryTest, TestSetsOfTextsAreMeasuredForOneOrTwoModels) {
  const std::string sts =
      File("sts.tsv",
           "5\tCat dog\tdog cat\n4\tcat cow\tdog hen\n1\tcat\tsaw drill\n");
  const std::string folder = Path("texts");
  std::filesystem::create_directory(folder);
  File("texts/documents.tsv", "1\tsaw drill\n2\tcat dog\n3\tfile vise\n");
  File("texts/queries.tsv", "a\tthe cow\nb\tdrill\nc\tunicorn\n");
  File("texts/relevant.tsv", "a\t2\nb\t1\t2\nb\t3\t2\n");
  std::vector<std::string> eval = {"eval", vectors_,      "--sts",
                                   sts,    "--retrieval", folder + "/"};
  const Outcome table = RunFirth(eval);
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.err, HasSubstr("converted to lower case"));
  EXPECT_THAT(
      table.out,
      AllOf(HasSubstr("sts.tsv           100.0"),
            HasSubstr("texts: 3 documents, 2 of 3 queries with a relevant"),
            HasSubstr("vectors            100.0"),
            HasSubstr("bm25                30.7"), HasSubstr("recall@100")));
  eval.emplace_back("--json");
  const json result = json::parse(RunFirth(eval).out);
  EXPECT_EQ(result.at("sts").at(0).at("asked"), 3);
  EXPECT_EQ(result.at("retrieval").at(0).at("folder"), "texts");
  EXPECT_EQ(result.at("retrieval").at(0).at("vectors").at("mrr"), 1);
  const Outcome paired =
      RunFirth({"eval", vectors_, vectors_, "--sts", sts, "--retrieval", folder,
                "--unit-words", "--dim", "6"});
  EXPECT_EQ(paired.code, 0) << paired.err;
  EXPECT_THAT(paired.out, AllOf(HasSubstr("+0.0  1.000"),
                                HasSubstr("hybrid           recall@100")));
  const Outcome wrong =
      RunFirth({"eval", vectors_, "--sts", File("bad.tsv", "1\ta b\n")});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("bad.tsv:1: expected 3 columns"));
}

TEST_F(QueryTest, QuestionsAreFoldedForAModelWithoutCapitals) {
  const std::string analogies = File("q.txt", "Cat Dog cow Hen\n");
  const std::string pairs =
      File("pairs.tsv", "Cat\tDOG\t9\nCat\tSaw\t1\nDog\tSaw\t2\n");
  const std::vector<std::string> eval = {
      "eval",         vectors_, "--analogies", analogies,
      "--similarity", pairs,    "--json"};
  const Outcome outcome = RunFirth(eval);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err,
            "firth: the vocabulary has no capital letters: words of the test "
            "sets are converted to lower case\n");
  const json result = json::parse(outcome.out);
  EXPECT_EQ(result.at("analogies").at(0).at("all").at("asked"), 1);
  EXPECT_EQ(result.at("analogies").at(0).at("folded"), true);
  EXPECT_EQ(result.at("similarity").at(0).at("asked"), 3);
  std::vector<std::string> asked = eval;
  asked.push_back("--lowercase");
  EXPECT_EQ(RunFirth(asked).out, outcome.out);
  EXPECT_EQ(RunFirth(asked).err, "");
  // What a training says of the same questions is no longer 0.
  const Outcome training = RunFirth(
      {"train", "--input", File("c.txt", TwoTopicText(300)), "--output",
       Path("v.bin"), "--dim", "8", "--threads", "1", "--epochs", "1",
       "--eval-similarity", pairs, "--report", Path("report.json")});
  EXPECT_EQ(training.code, 0) << training.err;
  EXPECT_THAT(training.err, HasSubstr("no capital letters"));
  EXPECT_THAT(training.err, Not(HasSubstr("score 0.0")));
}

}  // namespace
}  // namespace firth
