// firth info on one file of each kind that the program writes.

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/compress.h"
#include "support/run_program.h"

namespace firth {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class InfoTest : public ProgramTest {
 protected:
  // Adds what a test does to the command line of a small and quick training.
  void Run(std::vector<std::string> arguments) const {
    const Outcome outcome = RunFirth(arguments);
    ASSERT_EQ(outcome.code, 0) << arguments[0] << ": " << outcome.err;
  }

  void TrainVectors(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {
        "train", "--input", File("corpus.txt", TwoTopicText(200)),
        "--dim", "8",       "--threads",
        "1",     "--quiet", "--epochs",
        "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Run(arguments);
  }

  void TrainLm(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {
        "lm",           "train",
        "--input",      File("corpus.txt", TwoTopicText(100)),
        "--output",     Path("lm"),
        "--units",      "6",
        "--projection", "4",
        "--batch",      "4",
        "--unroll",     "10",
        "--epochs",     "1",
        "--min-count",  "1",
        "--samples",    "5",
        "--threads",    "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Run(arguments);
  }

  // What it says of a file, after a look at what it says to people.
  json Info(const std::string& path) const {
    const Outcome text = RunFirth({"info", path});
    EXPECT_EQ(text.code, 0) << text.err;
    const Outcome outcome = RunFirth({"info", path, "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const json info = json::parse(outcome.out, nullptr, false);
    EXPECT_FALSE(info.is_discarded()) << outcome.out;
    EXPECT_THAT(text.out, AllOf(StartsWith(absl::StrCat("file ")),
                                HasSubstr(info.value("kind", "?"))));
    return info;
  }
};

TEST_F(InfoTest, VectorsAndTheirIndexAndLists) {
  const std::string vectors = Path("v.safetensors");
  TrainVectors({"--output", vectors, "--save-vocab", Path("words")});
  json info = Info(vectors);
  EXPECT_EQ(info.at("kind"), "vectors");
  EXPECT_EQ(info.at("format"), "safetensors");
  EXPECT_EQ(info.at("words"), 16);

  Run({"index", vectors, "--sample", "5"});
  info = Info(vectors + ".hnsw");
  EXPECT_EQ(info.at("kind"), "HNSW index");
  EXPECT_EQ(info.at("words"), 16);
  EXPECT_EQ(info.at("dim"), 8);
  EXPECT_EQ(info.at("links"), 16);

  info = Info(Path("words"));
  EXPECT_EQ(info.at("kind"), "vocabulary");
  EXPECT_EQ(info.at("words"), 16);
  EXPECT_EQ(info.at("has_counts"), true);

  Run({"phrases", "--input", Path("corpus.txt"), "--quiet", "--output",
       Path("joined"), "--list", Path("list"), "--threshold", "-1",
       "--min-count", "1"});
  EXPECT_EQ(Info(Path("list")).at("kind"), "phrase list");
}

TEST_F(InfoTest, CompressedVectorsOfEachKindOfName) {
  const std::string text = "2 3\na 1 2 3\nb 1 2 4\n";
  for (const auto& [name, bytes] :
       {std::pair("v.vec.gz", Gzip(text)), {"v.vec.zst", Zstd(text)}}) {
    const json info = Info(File(name, bytes));
    EXPECT_EQ(info.at("kind"), "vectors");
    EXPECT_EQ(info.at("format"), "text");
    EXPECT_EQ(info.at("words"), 2);
    EXPECT_EQ(info.at("unpacked_bytes"), text.size());
    EXPECT_EQ(RunFirth({"nn", Path(name), "a"}).out, "b  0.9915\n");
  }
}

TEST_F(InfoTest, TextsThatAreCutAreNotTakenForWhole) {
  const std::pair<std::string, const char*> kCases[] = {
      {File("lines.vec", "3 2\na 1 2\nb 3 4"),
       "lines.vec:1: the header promises 3 words, found 2 lines after it, the "
       "last one without a line end"},
      {File("value.glove", "a 1 2\nb 3"),
       "value.glove:2: expected 2 values after the word, found 1; the file "
       "ends in this line"},
  };
  for (const auto& [path, message] : kCases) {
    const Outcome outcome = RunFirth({"info", path});
    EXPECT_EQ(outcome.code, 1) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }
  EXPECT_EQ(Info(File("whole.glove", "a 1 2\nb 3 4\n")).at("words"), 2);
}

TEST_F(InfoTest, WhatIsOddAboutAFileIsAWarning) {
  const Outcome outcome =
      RunFirth({"info", File("lines.vec", "3 2\na 1 2\nb 3 4\n"), "--json"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(json::parse(outcome.out).at("words"), 2);
  EXPECT_THAT(outcome.err,
              HasSubstr("warning: " + Path("lines.vec") +
                        ":1: the header promises 3 words, found 2 lines"));
}

TEST_F(InfoTest, CommaSeparatedVectorsAreNoVocabulary) {
  for (const char* text : {"a,1,2.5\nb,-3,4e1\n",
                           "word,count,v1,v2\r\n"
                           "\"a,b\",7,1,2.5\r\n"
                           "c,5,3,4\r\n"}) {
    const json info = Info(File("v.csv", text));
    EXPECT_EQ(info.at("kind"), "comma-separated values");
    EXPECT_EQ(info.at("rows"), 2);
    EXPECT_EQ(info.at("numbers"), absl::StartsWith(text, "word") ? 3 : 2);
  }
  EXPECT_EQ(Info(File("words", "1,000\na,1\n,\n")).at("kind"), "vocabulary");
}

TEST_F(InfoTest, SparseVectorsAreNamed) {
  const Outcome outcome =
      RunFirth({"info", File("v.txt", "1 9\na 0:0.5 8:1\n")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("sparse vectors (index:value)"));
}

TEST_F(InfoTest, CheckpointsOfATraining) {
  TrainVectors({"--output", Path("v.bin"), "--checkpoint", Path("saved"),
                "--checkpoint-every", "25%"});
  const json newest = Info(Path("saved"));
  EXPECT_EQ(newest.at("kind"), "checkpoint of a training run");
  EXPECT_EQ(newest.at("epochs"), 2);
  EXPECT_EQ(newest.at("words"), 16);
  EXPECT_EQ(newest.at("options").at("window"), 5);
  EXPECT_GT(newest.at("words_done"), 0);
  EXPECT_LE(newest.at("share_done"), 1);
  json file = Info(newest.at("newest"));
  EXPECT_EQ(file.at("words_done"), newest.at("words_done"));
  // The newest is cut: the one before is taken.
  const std::string cut = newest.at("newest");
  std::filesystem::resize_file(cut, std::filesystem::file_size(cut) - 4);
  EXPECT_EQ(RunFirth({"info", cut}).code, 1);
  const Outcome before = RunFirth({"info", Path("saved"), "--json"});
  EXPECT_EQ(before.code, 0) << before.err;
  EXPECT_NE(json::parse(before.out).at("newest"), newest.at("newest"));
}

TEST_F(InfoTest, LanguageModelsTheirCheckpointsAndVectors) {
  TrainLm({"--checkpoint", Path("checkpoint")});
  json info = Info(Path("lm"));
  EXPECT_EQ(info.at("kind"), "language model");
  EXPECT_EQ(info.at("dim"), 8);
  EXPECT_EQ(info.at("layers"), 2);
  EXPECT_EQ(info.at("cell"), "lstm");
  EXPECT_EQ(info.at("words_predicted"), 19);
  EXPECT_EQ(info.at("options").at("stack").at("units"), 6);

  info = Info(Path("checkpoint"));
  EXPECT_EQ(info.at("kind"), "checkpoint of a language model");
  EXPECT_EQ(info.at("epochs_begun"), 1);
  EXPECT_GT(info.at("tokens_done"), 100);
  EXPECT_EQ(info.at("options").at("units"), 6);

  const std::string text = File("few", "the cat sat\na dog\n");
  for (const char* name : {"e.hdf5", "e.npy", "e.safetensors"}) {
    Run({"embed", Path("lm"), "--input", text, "--output", Path(name)});
    info = Info(Path(name));
    EXPECT_EQ(info.at("kind"), "contextual vectors") << name;
    EXPECT_EQ(info.at("sentences"), 2) << name;
    EXPECT_EQ(info.at("layers"), 3) << name;
    EXPECT_EQ(info.at("dim"), 8) << name;
  }
  EXPECT_EQ(info.at("tokens"), 5);
  EXPECT_EQ(Info(Path("e.offsets.npy")).at("kind"), "NumPy array");
  // 5 tokens, 3 layers of 8 floats.
  std::filesystem::resize_file(Path("e.npy"),
                               std::filesystem::file_size(Path("e.npy")) - 4);
  const Outcome cut = RunFirth({"info", Path("e.npy")});
  EXPECT_EQ(cut.code, 1) << cut.out;
  EXPECT_THAT(cut.err, HasSubstr("e.npy: expected 480 bytes after the header, "
                                 "found 476"));

  Run({"tag", "train", "--input", File("tags", "the D\ncat N\n\na D\ndog N\n"),
       "--contextualizer", Path("lm"), "--units", "4", "--epochs", "1",
       "--threads", "1", "--output", Path("tagger")});
  info = Info(Path("tagger"));
  EXPECT_EQ(info.at("kind"), "tagger");
  EXPECT_EQ(info.at("tags"), "D N");
  EXPECT_THAT(info.at("contextualizer"), StartsWith("lm of "));
}

TEST_F(InfoTest, OtherFilesAreRefusedWithTheListOfKinds) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(Path("folder"));
  const std::pair<std::string, const char*> kCases[] = {
      {File("prose", "Words that say nothing of a kind.\n"),
       "expected one of HNSW index, language model, "},
      {File("empty", ""), "found an empty file"},
      {File("picture.gz", Gzip("\x89PNG\r\n")),
       "not a vector file of a known format"},
      {Path("pipe"), "not a regular file but a pipe or a device"},
      {Path("folder"), "the folder contains no checkpoints of a training run"},
      {Path("none"), "cannot open"},
  };
  for (const auto& [path, message] : kCases) {
    const Outcome outcome = RunFirth({"info", path});
    EXPECT_EQ(outcome.code, 1) << path;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_THAT(outcome.err, HasSubstr(path));
  }
}

}  // namespace
}  // namespace firth
