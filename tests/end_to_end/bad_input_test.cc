// Bad input: every row ends with a message that names the place, with the exit
// code for a failure, and with the old output file untouched.

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/run_program.h"

namespace firth {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr char kOldOutput[] = "the old output";

class BadInputTest : public ProgramTest {
 protected:
  // Trains on `input`, which must fail with `message` and touch nothing.
  void ExpectTrainingFails(const std::string& input, const std::string& message,
                           const std::vector<std::string>& more = {},
                           const ProgramOptions& options = {}) {
    SCOPED_TRACE(input);
    const std::string output = File("v.bin", kOldOutput);
    std::vector<std::string> arguments = {"train", "--input", input, "--output",
                                          output};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = RunFirth(arguments, options);
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_THAT(outcome.err, HasSubstr("firth: "));
    EXPECT_TRUE(ReadWholeFile(output) == kOldOutput);
    ExpectNoLeftovers();
  }

  // Temporary files are removed whatever happens.
  void ExpectNoLeftovers() {
    for (const auto& entry : std::filesystem::directory_iterator(Path(""))) {
      EXPECT_EQ(entry.path().string().find(".tmp-"), std::string::npos)
          << entry.path();
    }
  }
};

TEST_F(BadInputTest, MissingFile) {
  ExpectTrainingFails(Path("none.txt"), "none.txt");
}

TEST_F(BadInputTest, ANameCannotForgeAMessage) {
  const Outcome outcome =
      RunFirth({"info", Path("x\nfirth: wrote all.bin: 5 words\nx")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("x\\nfirth: wrote"));
}

TEST_F(BadInputTest, FolderWithoutText) {
  std::filesystem::create_directory(Path("folder"));
  ExpectTrainingFails(Path("folder"), "folder");
}

TEST_F(BadInputTest, EmptyFile) {
  ExpectTrainingFails(File("empty.txt", ""), "empty.txt");
}

TEST_F(BadInputTest, NothingReachesMinCount) {
  ExpectTrainingFails(File("rare.txt", "each word but once\n"), "5");
}

TEST_F(BadInputTest, UnreadableFile) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::string path = File("secret.txt", TwoTopicText(10));
  chmod(path.c_str(), 0);
  ExpectTrainingFails(path, "secret.txt");
}

TEST_F(BadInputTest, CorruptAndTruncatedCompressedFiles) {
  const std::string gzip_header("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  const std::string zstd_header("\x28\xb5\x2f\xfd", 4);
  ExpectTrainingFails(File("corrupt.gz", gzip_header + "no deflate stream"),
                      "corrupt.gz");
  ExpectTrainingFails(File("short.gz", gzip_header), "short.gz");
  ExpectTrainingFails(File("corrupt.zst", zstd_header + "no frame"),
                      "corrupt.zst");
  ExpectTrainingFails(File("short.zst", zstd_header), "short.zst");
}

TEST_F(BadInputTest, InvalidUtf8WhereItIsAnError) {
  ExpectTrainingFails(File("latin1.txt", "one\ntwo caf\xe9 three\n"),
                      "latin1.txt:2", {"--utf8", "error"});
}

TEST_F(BadInputTest, GivenVocabularyMissing) {
  ExpectTrainingFails(File("a.txt", TwoTopicText(10)), "none.vocab",
                      {"--vocab", Path("none.vocab")});
}

TEST_F(BadInputTest, FolderOfTheReportMissingIsNoticedBeforeReading) {
  ExpectTrainingFails(Path("none.txt"), "no/r.json",
                      {"--report", Path("no/r.json")});
}

// The text is a pipe that nobody writes to: reading it would have no end.
TEST_F(BadInputTest, WhatIsReadLastIsLookedForFirst) {
  const std::string pipe = Path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const char* const option :
       {"--valid", "--eval-similarity", "--eval-analogies", "--vocab"}) {
    ExpectTrainingFails(pipe, "none: cannot open: No such file",
                        {option, Path("none")});
  }
}

TEST_F(BadInputTest, LearningRateThatDiverges) {
  ExpectTrainingFails(File("a.txt", TwoTopicText(100)), "epoch",
                      {"--learning-rate", "1e9", "--epochs", "100"});
}

TEST_F(BadInputTest, ModelLargerThanTheMachine) {
  std::string text;
  for (int i = 0; i < 2000000; ++i) text += "w" + std::to_string(i) + " ";
  ExpectTrainingFails(File("large.txt", text), "MB",
                      {"--min-count", "1", "--dim", "65536"});
}

// The file to be written is larger than what may be written. The Makefile
// leaves the test out where the compiler's runtime writes files of its own.
TEST_F(BadInputTest, FullDisk) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "w" + std::to_string(i) + " ";
  ExpectTrainingFails(File("a.txt", text), "v.bin: cannot write",
                      {"--min-count", "1"},
                      {.input = "", .file_size_limit = 20000});
}

TEST_F(BadInputTest, FullDiskBehindStandardOutput) {
  const Outcome outcome =
      RunFirth({"demo", "--print", "corpus", "--words", "100000"},
               {.input = "", .file_size_limit = 20000});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err,
              HasSubstr("cannot write the results to standard output: File "
                        "too large"));
}

TEST_F(BadInputTest, OutputFolderMissing) {
  const Outcome outcome =
      RunFirth({"train", "--input", File("a.txt", TwoTopicText(10)), "--output",
                Path("no/folder/v.bin")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("no/folder"));
}

TEST_F(BadInputTest, NulBytesAreKeptAndNoted) {
  std::string text;
  for (int i = 0; i < 20; ++i)
    text += std::string("nul\0word and others\n", 20);
  const Outcome outcome =
      RunFirth({"train", "--input", File("nul.txt", text), "--output",
                Path("v.safetensors"), "--dim", "8"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("20 tokens with NUL bytes"));
}

TEST_F(BadInputTest, VectorsAreNoText) {
  const std::string text = File("a.txt", TwoTopicText(100));
  for (const char* name : {"m.safetensors", "m.bin", "m.npy"}) {
    ASSERT_EQ(RunFirth({"train", "--input", text, "--output", Path(name)}).code,
              0);
    const std::string message = absl::StrCat(name, ": expected text, found a");
    ExpectTrainingFails(Path(name), message);
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"vocab"},
          {"phrases", "--output", Path("p.txt")},
          {"lm", "train", "--output", Path("lm")}}) {
      SCOPED_TRACE(command[0]);
      std::vector<std::string> arguments = command;
      arguments.insert(arguments.end(), {"--input", Path(name)});
      const Outcome outcome = RunFirth(arguments);
      EXPECT_EQ(outcome.code, 1);
      EXPECT_THAT(outcome.err, HasSubstr(message));
    }
  }
}

struct VectorCase {
  std::string name;
  std::string file;
  std::string content;
  std::string message;
};

const VectorCase kVectorCases[] = {
    {"truncated text", "v.txt", "2 3\na 1 2 3\nb 1 2\n", "v.txt:3"},
    {"more rows than promised", "v.txt", "1 2\na 1 2\nb 1 2\n", "v.txt"},
    {"wrong dimension", "v.txt", "2 2\na 1 2\nb 1 2 3\n", "v.txt:3"},
    {"not a value", "v.txt", "2 2\na 1 x\nb 1 2\n", "v.txt:2"},
    {"NaN", "v.txt", "2 2\na 1 nan\nb 1 2\n", "v.txt:2"},
    {"a word twice", "v.txt", "2 2\na 1 2\na 3 4\n", "v.txt"},
    {"a promise of 10^12 rows", "v.txt", "1000000000000 100\na 1 2\n", "v.txt"},
    {"a promise of 10^12 binary rows", "v.bin",
     std::string("1000000000000 100\na \0\0\0\0", 24), "v.bin"},
    {"truncated binary", "v.bin", std::string("1 2\na \0\0\0\0\0", 11),
     "v.bin"},
    {"truncated safetensors", "v.safetensors",
     std::string("\xff\0\0\0\0\0\0\0{}", 10), "v.safetensors"},
    {"truncated npy", "v.npy", "\x93NUMPY\x01", "v.npy"},
    {"empty", "v.bin", "", "v.bin"},
};

TEST_F(BadInputTest, VectorFilesThatAreNone) {
  for (const VectorCase& bad : kVectorCases) {
    SCOPED_TRACE(bad.name);
    const std::string input = File(bad.file, bad.content);
    const std::string output = File("out.txt", kOldOutput);
    const Outcome convert = RunFirth({"convert", input, output});
    EXPECT_EQ(convert.code, 1);
    EXPECT_THAT(convert.err, StartsWith("firth: "));
    EXPECT_THAT(convert.err, HasSubstr(bad.message));
    EXPECT_EQ(ReadWholeFile(output), kOldOutput);
    EXPECT_EQ(RunFirth({"nn", input, "a"}).code, 1);
    std::filesystem::remove(input);
  }
}

TEST_F(BadInputTest, DuplicateWordsMayBeDropped) {
  const std::string input = File("v.txt", "2 2\na 1 2\na 3 4\n");
  const Outcome outcome =
      RunFirth({"convert", input, Path("out.txt"), "--duplicates", "first"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("1 word of 2 dimensions"));
}

TEST_F(BadInputTest, QuestionsOfWordsMeetOnlyTheirOwnDamage) {
  const std::string damaged = File("v.txt", "3 2\na 1 2\nb nan 1\nc 2 4\n");
  const Outcome whole = RunFirth({"similarity", damaged, "a", "c"});
  EXPECT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(whole.out, "1.0000\n");
  for (const auto& [arguments, message] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"similarity", damaged, "a", "b"},
            "value 1 of the vector of \"b\""},
           {{"vectors", damaged, "b"}, "value 1 of the vector of \"b\""},
           {{"nn", damaged, "a"}, "v.txt:3"},
           {{"rank", damaged, "a", "c"}, "v.txt:3"}}) {
    const Outcome outcome = RunFirth(arguments);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_THAT(outcome.err, HasSubstr("expected a finite number, found nan"));
  }
  const std::string twice = File("w.txt", "3 1\na 1\nb 2\na 3\n");
  const Outcome outcome = RunFirth({"similarity", twice, "a", "b"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("w.txt: entry 2: duplicate word \"a\""));
}

TEST_F(BadInputTest, QuestionsWithThreeWords) {
  const std::string vectors = File("v.txt", "2 2\na 1 2\nb 3 4\n");
  const std::string questions = File("q.txt", ": one\na b a b\na b a\n");
  const Outcome outcome = RunFirth({"eval", vectors, "--analogies", questions});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("q.txt:3"));
}

}  // namespace
}  // namespace firth
