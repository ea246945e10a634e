// What is drawn, exported and told of vectors: bias, drift, plot, export, and
// the log of a training.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/run_program.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class FiguresTest : public ProgramTest {
 protected:
  // See MeasureWeatTest: s(w) is 1 and 0.2 for X, -1 and -0.2 for Y.
  std::string Vectors() const {
    return File("v.txt", "6 2\nx1 2 0\nx2 4 3\ny1 0 7\ny2 3 4\na 1 0\nb 0 3\n");
  }
  std::string Lists() const {
    return File("weat.txt",
                ": By hand\nX: x1, x2\nY: y1, y2\nA: a, nobody\nB: b\n");
  }
};

TEST_F(FiguresTest, BiasPrintsATableAndNamesUnknownWords) {
  const Outcome run = RunFirth({"bias", Vectors(), "--weat", Lists()});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out,
            "name     found       effect       p  exact  permutations  "
            "unknown\n"
            "By hand  2, 2, 1, 1  1.4412  0.1667  true              6  "
            "nobody\n");
}

TEST_F(FiguresTest, BiasGivesTheSameAsJson) {
  const Outcome run =
      RunFirth({"bias", Vectors(), "--weat", Lists(), "--json"});
  EXPECT_EQ(run.code, 0) << run.err;
  const json test = json::parse(run.out)["tests"][0];
  EXPECT_NEAR(test["effect"], 1.441153, 1e-5);
  EXPECT_NEAR(test["p"], 1.0 / 6, 1e-12);
  EXPECT_EQ(test["exact"], true);
  EXPECT_EQ(test["groups"], json({"X", "Y", "A", "B"}));
  EXPECT_EQ(test["x"][1]["word"], "x2");
  EXPECT_NEAR(test["x"][1]["score"], 0.2, 1e-6);
  EXPECT_EQ(test["unknown"][0]["word"], "nobody");
}

TEST_F(FiguresTest, ATestThatCannotBeMadeFailsAndHidesNoOther) {
  const std::string lists = File(
      "two.txt",
      absl::StrCat(": None\nX: q\nY: r\nA: s\nB: t\n", ReadWholeFile(Lists())));
  const Outcome run = RunFirth({"bias", Vectors(), "--weat", lists});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.out, HasSubstr("1.4412"));
  EXPECT_THAT(run.err,
              HasSubstr("None: \"X\": no word of this group has a vector"));
  EXPECT_EQ(RunFirth({"bias", Vectors()}).code, 2);
}

TEST_F(FiguresTest, DriftTellsOfWords) {
  const std::string turned =
      File("w.txt", "6 2\nx1 0 2\nx2 -3 4\ny1 -7 0\ny2 -4 3\na 0 1\nb -3 0\n");
  const Outcome run = RunFirth({"drift", Vectors(), turned, "x1", "--json",
                                "--neighbors", "2", "--band", "10"});
  EXPECT_EQ(run.code, 0) << run.err;
  const json told = json::parse(run.out);
  EXPECT_EQ(told["compared"], 6);
  ASSERT_THAT(told["words"], SizeIs(1));
  EXPECT_NEAR(told["words"][0]["cosine"], 1, 1e-5);
  EXPECT_EQ(told["words"][0]["overlap"], 1);
  EXPECT_THAT(told["words"][0]["kept"], SizeIs(2));
  const Outcome table = RunFirth({"drift", Vectors(), turned, "--top", "2"});
  EXPECT_THAT(table.out, StartsWith("compared  6\n\nword  cosine"));
  const Outcome block = RunFirth({"drift", Vectors(), turned, "x1", "x2"});
  EXPECT_THAT(block.out, HasSubstr("\nx1\n  cosine     1.0000\n"));
  const Outcome unknown = RunFirth({"drift", Vectors(), turned, "x9"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("--restrict 0 compares all"));
}

TEST_F(FiguresTest, PlotDrawsVectorsOnAxesAndAsAMatrix) {
  const std::string svg = Path("a.svg");
  Outcome run = RunFirth({"plot", Vectors(), "x1", "y2", "nobody", "--axis",
                          "a:b", "--axis", "x1:y1", "-o", svg});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("no vector for nobody"));
  EXPECT_THAT(ReadWholeFile(svg), HasSubstr(">y2</text>"));
  // An axis takes one value: what follows is a word.
  run = RunFirth({"plot", Vectors(), "--axis", "a:b", "x2", "-o", svg});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(ReadWholeFile(svg), HasSubstr(">x2</text>"));
  EXPECT_THAT(ReadWholeFile(svg), Not(HasSubstr(">x1</text>")));
  run = RunFirth(
      {"plot", Vectors(), "x1", "x2", "y1", "--theme", "dark", "-o", svg});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(ReadWholeFile(svg), HasSubstr(">0.80</text>"));
  // Two dimensions are a map.
  EXPECT_EQ(RunFirth({"plot", Vectors(), "-o", svg}).code, 0);
  EXPECT_THAT(ReadWholeFile(svg), HasSubstr("Map of 6 words"));
}

TEST_F(FiguresTest, PlotSaysWhatItCannotDraw) {
  const std::string svg = Path("a.svg");
  struct Case {
    std::vector<std::string> arguments;
    int code;
    const char* message;
  };
  const std::string other = File("v3.txt", "2 3\na 1 2 3\nb 1 0 0\n");
  const Case cases[] = {
      {{"plot", Vectors()}, 2, "give the picture file with --output FILE"},
      {{"plot", Vectors(), "-o", Path("a.jpg")}, 2, "must end in .svg or .png"},
      {{"plot", Vectors(), "--axis", "ab", "-o", svg}, 2, "found \"ab\""},
      {{"plot", other, "-o", svg}, 1, "need --axis FROM:TO or words"},
      {{"plot", other, "a", "-o", svg}, 1, "a matrix needs 2 to 500 words"},
      {{"plot", other, "q", "r", "-o", svg},
       1,
       "none of these words has a vector: q, r"},
      {{"plot", File("r.jsonl", "{\"t\":1}\n"), "-o", svg},
       1,
       "r.jsonl: expected vectors, a map"},
      {{"plot", Path("none"), "-o", svg}, 1, "none"},
  };
  for (const Case& one : cases) {
    const Outcome run = RunFirth(one.arguments);
    EXPECT_EQ(run.code, one.code) << run.err;
    EXPECT_THAT(run.err, HasSubstr(one.message));
    EXPECT_FALSE(std::filesystem::exists(svg));
  }
}

TEST_F(FiguresTest, ALoggedTrainingCanBeDrawn) {
  const std::string text = File("c.txt", TwoTopicText(2000));
  const std::string log = Path("run.jsonl");
  const Outcome run =
      RunFirth({"train", "--input", text, "--output", Path("m.safetensors"),
                "--epochs", "3", "--threads", "1", "--log", log});
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string written = ReadWholeFile(log);
  const std::vector<std::string> lines =
      absl::StrSplit(written, '\n', absl::SkipEmpty());
  ASSERT_FALSE(lines.empty());
  const json last = json::parse(lines.back());
  EXPECT_EQ(last["done"], true);
  EXPECT_EQ(last["program"], "firth");
  EXPECT_EQ(last["interrupted"], false);
  // A short training may end before its first line.
  const std::string whole =
      File("w.jsonl",
           absl::StrCat(R"({"words":1,"total":9,"loss":2})", "\n", written));
  EXPECT_EQ(RunFirth({"plot", whole, "-o", Path("log.svg")}).code, 0);
  EXPECT_THAT(ReadWholeFile(Path("log.svg")), HasSubstr("Learning rate"));
}

TEST_F(FiguresTest, ExportWritesFilesAndFolders) {
  const std::string csv = Path("v.csv");
  Outcome run = RunFirth({"export", Vectors(), "--to", csv});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(ReadWholeFile(csv), StartsWith("word,v1,v2\r\nx1,2,0\r\n"));
  for (int time = 0; time < 2; ++time) {  // a folder may be there
    run = RunFirth(
        {"export", Vectors(), "--to", Path("logs"), "--format", "projector"});
    EXPECT_EQ(run.code, 0) << run.err;
  }
  EXPECT_TRUE(std::filesystem::exists(Path("logs/projector_config.pbtxt")));
  EXPECT_EQ(RunFirth({"export", Vectors()}).code, 2);
  EXPECT_EQ(RunFirth({"export", Vectors(), "--to", Path("v")}).code, 2);
  // No input is replaced.
  run = RunFirth({"export", Vectors(), "--to", Vectors(), "--format", "csv"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(ReadWholeFile(Path("v.txt")), StartsWith("6 2\n"));
}

// spaCy splits a line at its last spaces, as many as the first line says, and
// takes what is left for the word.
TEST_F(FiguresTest, TheFileOfTheSpacyRecipeHasTheShapeAndARowALine) {
  const std::string path =
      File("model.vec", "2 3\nnew-york 1 0.5 -2\n\u00e9 0 1e-30 3\n");
  ASSERT_EQ(RunFirth({"convert", path, Path("model.txt")}).code, 0);
  const std::string text = ReadWholeFile(Path("model.txt"));
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_EQ(lines[0], "2 3");
  EXPECT_EQ(lines[3], "");
  for (const size_t line : {1, 2}) {
    const std::vector<std::string> parts = absl::StrSplit(lines[line], ' ');
    ASSERT_THAT(parts, SizeIs(4)) << lines[line];
    EXPECT_EQ(parts[0], line == 1 ? "new-york" : "\u00e9");
    for (size_t i = 1; i < 4; ++i) {
      double value;
      EXPECT_TRUE(absl::SimpleAtod(parts[i], &value)) << lines[line];
    }
  }
}

// A Python that has Faiss; empty where there is none.
std::string PythonWithFaiss() {
  for (const std::string python : {"python3", "/usr/bin/python3"}) {
    const std::string command =
        python + " -c 'import faiss, numpy' >/dev/null 2>&1";
    if (std::system(command.c_str()) == 0) return python;
  }
  return "";
}

TEST_F(FiguresTest, TheFaissRecipeOfTheDocumentsFindsTheSameNeighbours) {
  const char* const source = std::getenv("FIRTH_SOURCE");
  const std::string python = PythonWithFaiss();
  if (source == nullptr || python.empty()) {
    GTEST_SKIP() << "a Python with faiss and numpy is not installed";
  }
  std::string vectors = "20 3\nking 1 0.5 0\n";
  for (int i = 1; i < 20; ++i) {
    absl::StrAppend(&vectors, "w", i, " ", (i * 7) % 5 - 1, " ", (i * 3) % 4,
                    " ", i % 3 + 0.1 * i, "\n");
  }
  const std::string path = File("model.txt", vectors);
  ASSERT_EQ(RunFirth({"convert", path, Path("model.npy")}).code, 0);
  const std::string document =
      ReadWholeFile(absl::StrCat(source, "/docs/guides/exporting.md"));
  const size_t begin = document.find("```python\n") + 10;
  File("recipe.py",
       document.substr(begin, document.find("```", begin) - begin));
  const std::string command =
      absl::StrCat("cd '", Path(""), "' && ", python, " recipe.py >out");
  ASSERT_EQ(std::system(command.c_str()), 0);
  const Outcome run = RunFirth({"nn", path, "king", "--json"});
  const json answer = json::parse(run.out);
  std::string expected;
  for (const json& found : answer["neighbors"]) {
    absl::StrAppend(&expected, expected.empty() ? "[" : ", ", "'",
                    found["word"].get<std::string>(), "'");
  }
  EXPECT_EQ(ReadWholeFile(Path("out")), expected + "]\n");
}

}  // namespace
}  // namespace firth
