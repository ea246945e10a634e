// firth map as a user runs it.

#include <signal.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/rng.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/run_program.h"

namespace firth {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class MapTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (IsSkipped()) return;
    vectors_ = File("v.txt", TextOf(200, 1));
  }

  // Words w0, w1, ... of four dimensions.
  static std::string TextOf(size_t count, uint64_t seed) {
    std::string text = absl::StrCat(count, " 4\n");
    Rng rng(seed);
    for (size_t i = 0; i < count; ++i) {
      absl::StrAppend(&text, "w", i);
      for (int j = 0; j < 4; ++j) {
        absl::StrAppend(&text, " ", rng.NextFloat() - 0.5f);
      }
      text += '\n';
    }
    return text;
  }

  std::vector<std::string> Lines(const std::string& name) {
    return absl::StrSplit(ReadWholeFile(Path(name)), '\n', absl::SkipEmpty());
  }

  std::string vectors_;
};

TEST_F(MapTest, WritesAPlaceForEachWord) {
  const Outcome outcome =
      RunFirth({"map", vectors_, "--output", Path("m.tsv"), "--words", "100"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(
      outcome.err,
      AllOf(HasSubstr("using the first 100 of 200 words; --words 0 uses all"),
            HasSubstr("m.tsv: 100 words, ")));
  const std::vector<std::string> lines = Lines("m.tsv");
  ASSERT_EQ(lines.size(), 100u);
  EXPECT_THAT(lines[7], StartsWith("w7\t"));
  const std::vector<std::string> columns = absl::StrSplit(lines[7], '\t');
  EXPECT_EQ(columns.size(), 4u);
}

TEST_F(MapTest, TheSameSeedGivesTheSameBytes) {
  for (const char* threads : {"1", "3"}) {
    const Outcome outcome =
        RunFirth({"map", vectors_, "--output",
                  Path(absl::StrCat("m", threads, ".safetensors")), "--threads",
                  threads, "--seed", "5", "--epochs", "50"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
  EXPECT_EQ(ReadWholeFile(Path("m1.safetensors")),
            ReadWholeFile(Path("m3.safetensors")));
  EXPECT_THAT(ReadWholeFile(Path("m1.safetensors")),
              AllOf(HasSubstr("\\\"source\\\":\\\"v.txt\\\""),
                    HasSubstr("\\\"seed\\\":5")));
}

TEST_F(MapTest, NewWordsComeOntoAnOldMap) {
  const std::string list = File("list.txt", "w3\nw5\nw8\nw13\nw21\nw34\n");
  ASSERT_EQ(RunFirth({"map", vectors_, "--output", Path("old.safetensors"),
                      "--word-list", list})
                .code,
            0);
  const Outcome outcome =
      RunFirth({"map", vectors_, "--onto", Path("old.safetensors"), "--output",
                Path("new.safetensors")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* word : {"w3", "w34"}) {
    EXPECT_EQ(RunFirth({"vectors", Path("new.safetensors"), word}).out,
              RunFirth({"vectors", Path("old.safetensors"), word}).out);
  }
}

TEST_F(MapTest, TellsOfWordsOfAListWithoutVectors) {
  const std::string list = File("list.txt", "w3\nunknown\nw8\nother\n");
  const Outcome outcome = RunFirth(
      {"map", vectors_, "--output", Path("m.tsv"), "--word-list", list});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err,
              HasSubstr("list.txt: no vector for 2 words: unknown, other\n"));
}

TEST_F(MapTest, InfoShowsNoMoreThanAPageOfLabels) {
  ASSERT_EQ(RunFirth({"map", vectors_, "--output", Path("m.safetensors")}).code,
            0);
  const std::string page = RunFirth({"info", Path("m.safetensors")}).out;
  EXPECT_THAT(page, AllOf(HasSubstr("firth.map"), HasSubstr("{\"method\":"),
                          HasSubstr(" bytes; --json shows all)")));
  EXPECT_LT(page.size(), 2000u);
}

TEST_F(MapTest, WordsWithoutADirectionAreLeftOut) {
  const std::string vectors = File("z.txt", "3 2\na 1 0\nb 0 0\nc 0 1\n");
  const Outcome outcome =
      RunFirth({"map", vectors, "--output", Path("z.tsv"), "--method", "pca"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err,
              HasSubstr("1 word left out because the vectors are zero"));
  EXPECT_EQ(Lines("z.tsv").size(), 2u);
}

TEST_F(MapTest, WhatIsWrongIsSaidAndNothingWritten) {
  struct Case {
    std::vector<std::string> arguments;
    int code;
    std::string message;
  };
  const std::string text = File("no.txt", "not a vector file\n");
  const std::string other = File("o.txt", "1 4\nother 1 2 3 4\n");
  const std::string out = Path("out.safetensors");
  ASSERT_EQ(RunFirth({"map", vectors_, "--output", Path("old.safetensors"),
                      "--epochs", "5"})
                .code,
            0);
  const Case cases[] = {
      {{"map", vectors_}, 2, "give the map file with --output FILE"},
      {{"map", vectors_, "--output", Path("m.png")},
       2,
       "the name of a map must end in .safetensors or .tsv"},
      {{"map", vectors_, "--output", vectors_}, 2, "the name of a map"},
      {{"map", vectors_, "--output", out, "--hold", "0.5"}, 2, "--onto"},
      {{"map", vectors_, "--output", out, "--perplexity", "5"}, 2, "tsne"},
      {{"map", vectors_, "--output", out, "--neighbors", "1"},
       2,
       "--neighbors: expected a whole number, 2 to 1000"},
      {{"map", vectors_, "--output", Path("old.safetensors"), "--onto",
        Path("old.safetensors")},
       2,
       "--onto"},
      {{"map", vectors_, "--output", out, "--onto", vectors_},
       1,
       "v.txt: not a map"},
      {{"map", other, "--output", out, "--onto", Path("old.safetensors")},
       1,
       "none of the 1 words is among the 200 words of the old map"},
      {{"map", vectors_, "--output", out, "--onto", Path("old.safetensors"),
        "--method", "tsne"},
       1,
       "method: the old map was made with umap"},
      {{"map", text, "--output", out}, 1, "no.txt"},
      {{"map", vectors_, "--output", out, "--word-list",
        File("list.txt", "nobody\n")},
       1,
       "none of the"},
  };
  const std::string old_map = ReadWholeFile(Path("old.safetensors"));
  for (const Case& wrong : cases) {
    const Outcome outcome = RunFirth(wrong.arguments);
    EXPECT_EQ(outcome.code, wrong.code) << wrong.message << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(wrong.message));
    EXPECT_FALSE(std::filesystem::exists(out)) << wrong.message;
  }
  EXPECT_EQ(ReadWholeFile(Path("old.safetensors")), old_map);
}

TEST_F(MapTest, CtrlCEndsItWithNothingWritten) {
  RunningFirth running({"map", vectors_, "--output", Path("m.tsv"), "--words",
                        "199", "--epochs", "100000"});
  ASSERT_TRUE(running.WaitForError("--words 0"));
  running.Signal(SIGINT);
  const Outcome outcome = running.Wait();
  EXPECT_EQ(outcome.code, 130);
  EXPECT_THAT(outcome.err, HasSubstr("interrupted; nothing was written"));
  EXPECT_FALSE(std::filesystem::exists(Path("m.tsv")));
}

}  // namespace
}  // namespace firth
