// firth lm import and what its models are good for, as a user runs them.

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/pretrained_folder.h"
#include "support/run_program.h"

namespace firth {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class LmImportTest : public ProgramTest {
 protected:
  void Write(const std::string& name, absl::string_view content) {
    std::filesystem::create_directories(
        std::filesystem::path(Path(name)).parent_path());
    WriteWholeFile(Path(name), std::string(content));
  }
  // The folder of the smallest BERT or GPT-2.
  std::string Bert() {
    Write("bert/config.json", kBertConfig);
    Write("bert/vocab.txt", kBertPieces);
    EXPECT_TRUE(
        WriteTensors(BertTensors(), Path("bert/model.safetensors")).ok());
    return Path("bert");
  }
  std::string Gpt2() {
    Write("gpt2/config.json", kGpt2Config);
    Write("gpt2/vocab.json", kGpt2Pieces);
    Write("gpt2/merges.txt", kGpt2Merges);
    EXPECT_TRUE(
        WriteTensors(Gpt2Tensors(), Path("gpt2/model.safetensors")).ok());
    return Path("gpt2");
  }
  std::string Imported(const std::string& folder) {
    const std::string model = Path("lm.safetensors");
    const Outcome outcome =
        RunFirth({"lm", "import", folder, "--output", model});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return model;
  }
  std::string Embedded(std::vector<std::string> arguments,
                       const std::string& text) {
    arguments.insert(arguments.begin(), "embed");
    const Outcome outcome = RunFirth(arguments, {.input = text});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  }
};

TEST_F(LmImportTest, AWordOfPiecesHasOneVector) {
  const std::string model = Imported(Bert());
  const std::vector<std::string> lines =
      absl::StrSplit(Embedded({model, "--layers", "1"}, "a ab\nabb\n"), '\n');
  // Two words, an empty line, one, an empty line, and the end.
  ASSERT_THAT(lines, SizeIs(6));
  EXPECT_THAT(lines[0], testing::StartsWith("a "));
  EXPECT_THAT(lines[1], testing::StartsWith("ab "));
  EXPECT_THAT(lines[3], testing::StartsWith("abb "));
  // Above layer 0, the norm of two values makes all tokens of this model alike.
  const auto with = [&](const char* pieces) {
    return Embedded({model, "--layers", "0", "--pieces", pieces}, "ab\n");
  };
  EXPECT_NE(with("first"), with("last"));
  EXPECT_NE(with("first"), with("mean"));
  // By default the mean.
  EXPECT_EQ(with("mean"), Embedded({model, "--layers", "0"}, "ab\n"));
}

TEST_F(LmImportTest, ASentenceBeyondThePositionsIsReadInWindowsOrRefused) {
  const std::string model = Imported(Bert());  // of 8 positions
  const std::string text = "a a a a a a a a a a\n";
  const std::vector<std::string> lines =
      absl::StrSplit(Embedded({model, "--layers", "1"}, text), '\n');
  EXPECT_THAT(lines, SizeIs(10 + 2));
  const Outcome refused =
      RunFirth({"embed", model, "--layers", "1", "--long-sentences", "refuse"},
               {.input = "a\n" + text});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err,
              HasSubstr("a sentence of 10 tokens, beginning \"a a a\", is too "
                        "long; the model has positions for at most 6"));
}

// sentence-transformers' sentence vectors are such means.
TEST_F(LmImportTest, ASentenceVectorIncludesTheMarks) {
  const std::string model = Imported(Bert());
  const auto pooled = [&](const char* how, const std::string& text) {
    return Embedded({model, "--layers", "0", "--pool", how}, text);
  };
  const auto numbers = [](absl::string_view line) {
    std::vector<double> values;
    for (const absl::string_view part :
         absl::StrSplit(absl::StripAsciiWhitespace(line), ' ')) {
      EXPECT_TRUE(absl::SimpleAtod(part, &values.emplace_back())) << part;
    }
    return values;
  };
  const auto word = numbers(
      absl::StripPrefix(Embedded({model, "--layers", "0"}, "a\n"), "a "));
  const auto first = numbers(pooled("first", "a\n"));
  const auto last = numbers(pooled("last", "a\n"));
  const auto mean = numbers(pooled("mean", "a\n"));
  ASSERT_EQ(mean.size(), word.size());
  EXPECT_NE(first, word);
  for (size_t i = 0; i < mean.size(); ++i) {
    EXPECT_NEAR(mean[i], (first[i] + word[i] + last[i]) / 3, 1e-6);
  }
  // A long sentence, which is read in windows, changes nothing in another.
  const std::string both = pooled("mean", "a\na a a a a a a a a a\n");
  EXPECT_THAT(both, testing::StartsWith(pooled("mean", "a\n")));
}

TEST_F(LmImportTest, ABertTellsNextSentences) {
  const std::string without = Imported(Bert());
  const Outcome none = RunFirth({"lm", "next", without, "a", "ab"});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(
      none.err,
      HasSubstr("this model does not predict whether a sentence follows"));
  Tensors tensors = BertTensors();
  AddTensor("bert.pooler.dense.weight", {2, 2}, &tensors);
  AddTensor("bert.pooler.dense.bias", {2}, &tensors);
  AddTensor("cls.seq_relationship.weight", {2, 2}, &tensors);
  AddTensor("cls.seq_relationship.bias", {2}, &tensors);
  const std::string folder = Bert();
  ASSERT_TRUE(WriteTensors(tensors, Path("bert/model.safetensors")).ok());
  const std::string model = Imported(folder);
  const Outcome two = RunFirth({"lm", "next", model, "a b", "ab"});
  ASSERT_EQ(two.code, 0) << two.err;
  const Outcome lines =
      RunFirth({"lm", "next", model}, {.input = "a b\tab\n\t\n"});
  ASSERT_EQ(lines.code, 0) << lines.err;
  EXPECT_THAT(lines.out, testing::StartsWith(two.out));
  EXPECT_THAT(RunFirth({"lm", "next", model, "--json", "a b", "ab"}).out,
              HasSubstr("{\"texts\":[\"a b\",\"ab\"],\"probability\":0."));
  const Outcome one =
      RunFirth({"lm", "next", model}, {.input = "a\tb\nalone\n"});
  EXPECT_EQ(one.code, 1);
  EXPECT_THAT(one.err,
              HasSubstr("standard input:2: expected 2 texts, found 1"));
  const Outcome longer =
      RunFirth({"lm", "next", model, "a a a", "a a a"});  // of 8 positions
  EXPECT_EQ(longer.code, 1);
  EXPECT_THAT(
      longer.err,
      HasSubstr("the two sentences together must have at most 5 tokens"));
  EXPECT_EQ(RunFirth({"lm", "next", model, "a"}).code, 2);
}

TEST_F(LmImportTest, AGpt2PredictsAndWrites) {
  const std::string model = Imported(Gpt2());
  Write("text.txt", "a b ab\nab\n");
  const Outcome measured = RunFirth(
      {"lm", "perplexity", model, "--input", Path("text.txt"), "--json"});
  EXPECT_EQ(measured.code, 0) << measured.err;
  // a; the space has no piece, then b; the same with ab; ab; and two ends.
  EXPECT_THAT(measured.out, HasSubstr("\"tokens\":8"));
  const Outcome written = RunFirth(
      {"lm", "generate", model, "--count", "2", "--temperature", "1", "ab"});
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_THAT(written.out, testing::StartsWith("ab"));
}

TEST_F(LmImportTest, InfoSaysWhatAModelReads) {
  const Outcome outcome = RunFirth({"info", Imported(Gpt2()), "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\"reads_pieces\":true"));
}

TEST_F(LmImportTest, WhatDoesNotFitIsRefusedAndNothingWritten) {
  const std::string folder = Bert();
  Write("bert/config.json", R"({"model_type": "llama"})");
  const Outcome outcome =
      RunFirth({"lm", "import", folder, "-o", Path("lm.safetensors")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err,
              HasSubstr("config.json: \"model_type\": expected \"bert\" or "
                        "\"gpt2\", found \"\\\"llama\\\"\""));
  EXPECT_FALSE(std::filesystem::exists(Path("lm.safetensors")));
}

TEST_F(LmImportTest, ThereIsOneKindOfModelToImport) {
  const std::string folder = Bert();
  const Outcome both =
      RunFirth({"lm", "import", folder, "--options", Path("bert/config.json"),
                "-o", Path("lm.safetensors")});
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.err, HasSubstr("cannot be combined with PATH"));
  const Outcome nowhere = RunFirth({"lm", "import", folder});
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("missing --output FILE"));
  const Outcome nothing = RunFirth({"lm", "import", "-o", Path("lm")});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("give PATH, or --options FILE"));
}

}  // namespace
}  // namespace firth
