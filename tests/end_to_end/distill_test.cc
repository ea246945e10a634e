// firth distill as a user runs it.

#include <filesystem>
#include <string>
#include <vector>

#include "end_to_end/contextual_program.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/run_program.h"

namespace firth {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

using DistillProgramTest = ContextualProgramTest;

TEST_F(DistillProgramTest, WordsAreDistilledFromAModelAndFromArrays) {
  const std::string lm = TinyLm();
  const std::string text =
      File("text", "the cat sat on the mat\nthe cat\n\nthe dog sat\n");
  const std::string words = Path("words.safetensors");
  const Outcome distilled =
      RunFirth({"distill", lm, "--text", text, "--min-count", "1", "--layers",
                "1", "-o", words});
  EXPECT_EQ(distilled.code, 0) << distilled.err;
  EXPECT_THAT(distilled.err, HasSubstr("6 words of 12 dimensions"));
  const Outcome near = RunFirth({"nn", words, "cat"});
  EXPECT_EQ(near.code, 0) << near.err;
  const json info = json::parse(RunFirth({"info", words, "--json"}).out);
  EXPECT_EQ(info["words"], 6);
  EXPECT_EQ(info["has_counts"], true);
  EXPECT_THAT(
      std::string(info["metadata"]["distilled"]),
      AllOf(HasSubstr("\"layers\":\"1\""), testing::Not(HasSubstr(text))));
  const std::string tokens = Path("tokens.npy");
  ASSERT_EQ(RunFirth({"embed", lm, "-i", text, "-o", tokens}).code, 0);
  const std::string same = Path("same.safetensors");
  const Outcome again =
      RunFirth({"distill", tokens, "--text", text, "--min-count", "1",
                "--layers", "1", "-o", same});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(RunFirth({"nn", same, "cat"}).out, near.out);
  // Afterwards, in one go.
  const Outcome small = RunFirth(
      {"distill", lm, "--text", text, "--min-count", "1", "--method", "cbow",
       "--center", "--keep-components", "3", "--sif", "1e-3", "-o", words});
  EXPECT_EQ(small.code, 0) << small.err;
  EXPECT_THAT(small.err, HasSubstr("6 words of 3 dimensions"));
}

TEST_F(DistillProgramTest, WhatCannotBeDistilledIsSaid) {
  const std::string lm = TinyLm();
  const std::string text = File("text", "the cat sat\n");
  const std::string out = Path("w.safetensors");
  const std::string tokens = Path("t.npy");
  ASSERT_EQ(RunFirth({"embed", lm, "-o", tokens}, {.input = "the cat\n"}).code,
            0);
  const std::vector<FailureCase> cases = {
      {"no text",
       {"distill", lm, "-o", out},
       2,
       "give the text with --text FILE"},
      {"no output",
       {"distill", lm, "--text", text},
       2,
       "give the output file with --output"},
      {"all layers",
       {"distill", lm, "--text", text, "-o", out, "--layers", "all"},
       1,
       "expected top, average, mix or a layer from 0 to 2, found \"all\""},
      {"rare words",
       {"distill", lm, "--text", text, "-o", out},
       1,
       "none of the 3 words of the text occurs 5 times (min-count)"},
      {"noise of no method",
       {"distill", lm, "--text", text, "-o", out, "--negative", "3"},
       2,
       "--negative requires --method cbow"},
      {"vectors of another text",
       {"distill", tokens, "--text", text, "-o", out, "--min-count", "1"},
       1,
       tokens + ": expected vectors of the 3 tokens of the text, found 2"},
      {"vectors of words",
       {"distill", Vectors(), "--text", text, "-o", out},
       1,
       "expected a language model"},
      {"a truncated model",
       {"distill", File("cut", ReadWholeFile(lm).substr(0, 3000)), "--text",
        text, "-o", out},
       1,
       "cut"},
      {"the model itself",
       {"distill", lm, "--text", text, "-o", lm},
       2,
       "are the same file"},
  };
  for (const FailureCase& test : cases) {
    SCOPED_TRACE(test.name);
    const Outcome outcome = RunFirth(test.arguments);
    EXPECT_EQ(outcome.code, test.code) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(test.message));
  }
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace firth
