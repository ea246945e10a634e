// Files of other programs: every command that reads a file of its kind names
// what it found, and the way out.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/run_program.h"

namespace firth {
namespace {

using testing::HasSubstr;
using testing::Not;

class ForeignFilesTest : public ProgramTest {
 protected:
  // What each command that reads the file says of it.
  std::vector<Outcome> Read(const std::string& file) {
    const std::string text = File("text", "a b c a b c\n");
    const std::vector<std::string> out = {"--output", Path("out.safetensors")};
    const std::vector<std::vector<std::string>> commands = {
        {"nn", file, "a"},
        {"info", file},
        {"convert", file, Path("out.vec")},
        {"eval", file, "--similarity", text},
        {"index", file},
        {"train", "--input", file, out[0], out[1]},
        {"train", "--input", text, "--min-count", "1", "--init", file, out[0],
         out[1]},
        {"train", "--input", text, "--vocab", file, out[0], out[1]},
        {"vocab", "--input", file, "--output", Path("out")},
        {"phrases", "--input", file, "--output", Path("out")},
        {"lm", "train", "--input", file, out[0], out[1]},
        {"lm", "score", file, "--input", text},
        {"classify", "train", "--input", file, out[0], out[1]},
        {"classify", "predict", file, "--input", text},
        {"tag", "apply", file, "--input", text},
        {"embed", file, "--input", text, out[0], out[1]}};
    std::vector<Outcome> outcomes;
    for (const std::vector<std::string>& command : commands) {
      outcomes.push_back(RunFirth(command));
      EXPECT_EQ(outcomes.back().code, 1)
          << testing::PrintToString(command) << outcomes.back().err;
    }
    return outcomes;
  }

  void ExpectAllSay(const std::string& file, const char* message) {
    for (const Outcome& outcome : Read(file)) {
      EXPECT_THAT(outcome.err, HasSubstr(message));
    }
  }
};

TEST_F(ForeignFilesTest, AZipArchive) {
  std::string head = "PK\x03\x04";
  head.resize(26, '\0');
  head += std::string("\5\0\0\0v.vec1 2\na 1 2\n", 19);
  ExpectAllSay(File("v.vec.zip", head), "found a zip archive; unzip it first");
}

TEST_F(ForeignFilesTest, APickle) {
  ExpectAllSay(File("model.bin", std::string("\x80\x04}q\0.", 6)),
               "found a pickle, which is not read because pickles can run "
               "code; in gensim, save the vectors with save_word2vec_format()");
}

TEST_F(ForeignFilesTest, WhatIsOddAboutVectorsIsAWarning) {
  const std::string path = File("v.vec", "5 2\na 1 2\nb 2 1\n");
  const std::string warning =
      "firth: warning: " + path + ":1: the header promises 5 words, found 2";
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{
           {"nn", path, "a"},
           {"similarity", path, "a", "b"},
           {"convert", path, Path("out.bin")},
           {"index", path},
           {"train", "--input", File("text", "a b a b\n"), "--min-count", "1",
            "--init", path, "--dim", "2", "--output", Path("t.bin")}}) {
    const Outcome outcome = RunFirth(command);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(warning));
  }
}

TEST_F(ForeignFilesTest, AWordTwiceComesWithTheWayOut) {
  const std::string path = File("v.vec", "a 1 2\na 2 1\n");
  EXPECT_THAT(
      RunFirth({"nn", path, "a"}).err,
      HasSubstr("firth convert --duplicates first keeps the first one"));
}

TEST_F(ForeignFilesTest, WordsInTwoUnicodeFormsAreAWarning) {
  const std::string text = File("text", "caf\u00E9 cafe\u0301 b\n");
  const Outcome vocab = RunFirth(
      {"vocab", "--input", text, "--min-count", "1", "--output", Path("v")});
  EXPECT_EQ(vocab.code, 0) << vocab.err;
  EXPECT_THAT(vocab.err, HasSubstr("warning: 1 word occurs in two Unicode"));
  EXPECT_EQ(ReadWholeFile(Path("v")), "caf\u00E9 1\ncafe\u0301 1\nb 1\n");
  const Outcome joined =
      RunFirth({"vocab", "--input", text, "--min-count", "1", "--normalize",
                "nfc", "--output", Path("v")});
  EXPECT_EQ(joined.code, 0) << joined.err;
  EXPECT_THAT(joined.err, Not(HasSubstr("Unicode")));
  EXPECT_EQ(ReadWholeFile(Path("v")), "caf\u00E9 2\nb 1\n");
}

// As the other options of a text, it goes with the model.
TEST_F(ForeignFilesTest, NormalizationIsStoredAndContinued) {
  const std::string text = File("text", "caf\u00E9 b cafe\u0301 b\n");
  const std::string model = Path("m.safetensors");
  ASSERT_EQ(RunFirth({"train", "--input", text, "--min-count", "1", "--dim",
                      "4", "--epochs", "1", "--threads", "1", "--normalize",
                      "nfc", "--output", model})
                .code,
            0);
  EXPECT_THAT(RunFirth({"info", model, "--json"}).out,
              HasSubstr("\"normalize\":\"nfc\""));
  const Outcome more =
      RunFirth({"train", "--input", File("more", "cafe\u0301 c cafe\u0301 c\n"),
                "--update", model, "--min-count", "1", "--threads", "1",
                "--output", Path("n.safetensors")});
  EXPECT_EQ(more.code, 0) << more.err;
  const Outcome words =
      RunFirth({"nn", Path("n.safetensors"), "c", "--top", "9"});
  EXPECT_THAT(words.out, HasSubstr("caf\u00E9 "));
  EXPECT_THAT(words.out, Not(HasSubstr("cafe\u0301")));
}

}  // namespace
}  // namespace firth
