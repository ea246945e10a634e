// Counting models as a user trains and uses them: firth lm train --ngram.

#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
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
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class CountingProgramTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (IsSkipped()) return;
    text_ = File("text.txt", TwoTopicText(400));
    held_out_ = File("held-out.txt", TwoTopicText(60));
    model_ = Path("lm.safetensors");
  }
  std::vector<std::string> TrainArguments(
      const std::string& output, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"lm",
                                          "train",
                                          "--ngram",
                                          "3",
                                          "--input",
                                          text_,
                                          "--min-count",
                                          "1",
                                          "--output",
                                          output,
                                          "--discount-fallback"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  double Perplexity(const std::string& model) {
    const Outcome measured = RunFirth(
        {"lm", "perplexity", model, "--input", held_out_, "--json", "--quiet"});
    EXPECT_EQ(measured.code, 0) << measured.err;
    return json::parse(measured.out)["perplexity"];
  }

  std::string text_, held_out_, model_;
};

TEST_F(CountingProgramTest, EveryCommandUsesACountingModel) {
  const Outcome trained =
      RunFirth(TrainArguments(model_, {"--report", Path("report.json")}));
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.out, IsEmpty());
  EXPECT_THAT(trained.err,
              AllOf(HasSubstr("  order 3  "), HasSubstr(" n-grams, kept "),
                    HasSubstr(", discounts "),
                    HasSubstr("  wrote    " + model_ + ": ")));
  const json report = json::parse(ReadWholeFile(Path("report.json")));
  EXPECT_EQ(report["orders"].size(), 3u);
  EXPECT_EQ(report["options"]["ngram"], 3);
  EXPECT_FALSE(report["options"].contains("units"));
  const double perplexity = Perplexity(model_);
  EXPECT_GT(perplexity, 1);
  EXPECT_LT(perplexity, 30);
  const Outcome info = RunFirth({"info", model_, "--json"});
  ASSERT_EQ(info.code, 0) << info.err;
  EXPECT_THAT(info.out, AllOf(HasSubstr("language model"),
                              HasSubstr("kneser-ney"), HasSubstr("ngram")));
  const Outcome score =
      RunFirth({"lm", "score", model_}, {.input = "the cat\n\nnever\n"});
  ASSERT_EQ(score.code, 0) << score.err;
  const std::vector<std::string> lines =
      absl::StrSplit(score.out, '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], AllOf(StartsWith("-"), HasSubstr("\t3\tthe cat")));
  const Outcome json_score =
      RunFirth({"lm", "score", model_, "--json"}, {.input = "never\n"});
  EXPECT_THAT(json_score.out, HasSubstr("\"num_unknown\":1"));
  const Outcome generated = RunFirth(
      {"lm", "generate", model_, "--temperature", "1", "--count", "5"});
  ASSERT_EQ(generated.code, 0) << generated.err;
  EXPECT_EQ(std::count(generated.out.begin(), generated.out.end(), '\n'), 5);
  EXPECT_EQ(RunFirth({"lm", "generate", model_, "--beam", "4", "the"}).code, 0);
}

TEST_F(CountingProgramTest, ArpaFilesGoInAndOut) {
  const std::string arpa = Path("lm.arpa");
  ASSERT_EQ(RunFirth(TrainArguments(arpa)).code, 0);
  ASSERT_EQ(RunFirth(TrainArguments(model_)).code, 0);
  EXPECT_THAT(ReadWholeFile(arpa), StartsWith("\\data\\\nngram 1="));
  EXPECT_DOUBLE_EQ(Perplexity(arpa), Perplexity(model_));
  const std::string packed = File("lm.arpa.gz", Gzip(ReadWholeFile(arpa)));
  EXPECT_DOUBLE_EQ(Perplexity(packed), Perplexity(model_));
  EXPECT_THAT(RunFirth({"info", packed}).out, HasSubstr("arpa"));
  const std::string again = Path("again.safetensors");
  const Outcome imported =
      RunFirth({"lm", "import", packed, "--output", again});
  ASSERT_EQ(imported.code, 0) << imported.err;
  EXPECT_DOUBLE_EQ(Perplexity(again), Perplexity(model_));
  const std::string back = Path("back.arpa");
  ASSERT_EQ(RunFirth({"lm", "import", model_, "--output", back}).code, 0);
  EXPECT_EQ(ReadWholeFile(back), ReadWholeFile(arpa));
}

TEST_F(CountingProgramTest, AMixtureIsBetterThanItsParts) {
  ASSERT_EQ(RunFirth(TrainArguments(model_)).code, 0);
  const std::string network = Path("network.safetensors");
  const Outcome trained =
      RunFirth({"lm",           "train", "--input",         text_,
                "--min-count",  "1",     "--units",         "16",
                "--projection", "8",     "--batch",         "8",
                "--unroll",     "10",    "--epochs",        "2",
                "--samples",    "10",    "--learning-rate", "0.01",
                "--output",     network});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Outcome mixed =
      RunFirth({"lm", "perplexity", network, "--mix", model_, "--valid",
                held_out_, "--input", held_out_, "--quiet", "--json"});
  ASSERT_EQ(mixed.code, 0) << mixed.err;
  const json found = json::parse(mixed.out);
  for (const char* const part : {"first", "second"}) {
    EXPECT_LE(double(found["mixed"]["loss"]),
              double(found[part]["loss"]) + 1e-6);
  }
  EXPECT_NEAR(std::exp(double(found["second"]["loss"])), Perplexity(model_),
              1e-6);
  const Outcome table =
      RunFirth({"lm", "perplexity", network, "--mix", model_, "--valid",
                held_out_, "--input", held_out_, "--quiet"});
  EXPECT_THAT(table.out, AllOf(HasSubstr("weight"), HasSubstr("both")));

  std::vector<std::string> stupid =
      TrainArguments(model_, {"--smoothing", "stupid-backoff"});
  stupid.erase(absl::c_find(stupid, "--discount-fallback"));
  ASSERT_EQ(RunFirth(stupid).code, 0);
  const Outcome scores =
      RunFirth({"lm", "perplexity", network, "--mix", model_, "--valid",
                held_out_, "--input", held_out_, "--quiet"});
  EXPECT_EQ(scores.code, 1);
  EXPECT_THAT(scores.err, HasSubstr("the second model has scores that are not "
                                    "probabilities"));

  ASSERT_EQ(RunFirth(TrainArguments(model_, {"--max-vocab", "5"})).code, 0);
  const Outcome differs =
      RunFirth({"lm", "perplexity", network, "--mix", model_, "--valid",
                held_out_, "--input", held_out_, "--quiet"});
  EXPECT_EQ(differs.code, 1);
  EXPECT_THAT(differs.err, HasSubstr("is <UNK> for the second model only"));
}

TEST_F(CountingProgramTest, OptionsThatDoNotApplyAreNamed) {
  struct Case {
    std::vector<std::string> more;
    const char* message;
  };
  for (const Case& c : {
           Case{{"--units", "16"}, "--units cannot be combined with --ngram"},
           {{"--valid", held_out_}, "--valid cannot be combined with --ngram"},
           {{"--checkpoint", Path("c")},
            "--checkpoint cannot be combined with --ngram"},
           {{"--add-k", "1"}, "--add-k"},
           {{"--prune", "1,1"}, "prune: expected ascending numbers"},
       }) {
    const Outcome outcome = RunFirth(TrainArguments(model_, c.more));
    EXPECT_EQ(outcome.code, 2) << c.message;
    EXPECT_THAT(outcome.err, HasSubstr(c.message));
  }
  const Outcome without = RunFirth(
      {"lm", "train", "--input", text_, "--output", model_, "--prune", "0,1"});
  EXPECT_EQ(without.code, 2);
  EXPECT_THAT(without.err, HasSubstr("--prune requires --ngram"));
  const Outcome stateful =
      RunFirth({"lm", "perplexity", "x", "--mix", "y", "--valid", "z",
                "--input", text_, "--stateful"});
  EXPECT_EQ(stateful.code, 2);
}

TEST_F(CountingProgramTest, ATextWithoutNGramsIsRefused) {
  const Outcome small = RunFirth({"lm", "train", "--ngram", "3", "--input",
                                  File("small.txt", "a b\n"), "--min-count",
                                  "1", "--output", model_});
  EXPECT_EQ(small.code, 1);
  EXPECT_THAT(small.err, HasSubstr("use a lower order, more text, or "
                                   "--discount-fallback"));
  const Outcome empty = RunFirth({"lm", "train", "--ngram", "3", "--input",
                                  File("empty.txt", ""), "--output", model_});
  EXPECT_EQ(empty.code, 1);
  EXPECT_THAT(empty.err, HasSubstr("empty.txt"));
}

TEST_F(CountingProgramTest, ArpaFilesAreCompressedIfTheNameAsksForIt) {
  const std::string plain = Path("m.arpa");
  ASSERT_EQ(RunFirth(TrainArguments(plain)).code, 0);
  for (const char* name :
       {"m.arpa.gz", "m.arpa.bz2", "m.arpa.xz", "m.arpa.zst"}) {
    SCOPED_TRACE(name);
    const std::string path = Path(name);
    ASSERT_EQ(RunFirth(TrainArguments(path)).code, 0);
    EXPECT_LT(std::filesystem::file_size(path),
              std::filesystem::file_size(plain) / 2);
    const std::string again = Path("again.arpa");
    ASSERT_EQ(RunFirth({"lm", "import", path, "--output", again}).code, 0);
    EXPECT_EQ(ReadWholeFile(again), ReadWholeFile(plain));
  }
}

TEST_F(CountingProgramTest, AFullDiskLeavesNoCompressedFile) {
  const std::string path = Path("m.arpa.gz");
  const Outcome full = RunFirth(TrainArguments(path), {.file_size_limit = 1100});
  EXPECT_EQ(full.code, 1);
  EXPECT_THAT(full.err, HasSubstr(path));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(CountingProgramTest, AFullDiskLeavesNothing) {
  const Outcome full =
      RunFirth(TrainArguments(model_), {.file_size_limit = 2000});
  EXPECT_EQ(full.code, 1);
  EXPECT_THAT(full.err, HasSubstr(model_));
  EXPECT_FALSE(std::filesystem::exists(model_));
}

TEST_F(CountingProgramTest, AnInterruptedTrainingWritesNothing) {
  const std::string pipe = Path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  text_ = pipe;
  RunningFirth program(TrainArguments(model_));
  const PipeWriter writer(pipe);
  writer.Write("the cat sat\n");
  program.Signal(SIGINT);
  const Outcome outcome = program.Wait();
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_THAT(outcome.err,
              HasSubstr("interrupted while reading; nothing was written"));
  EXPECT_FALSE(std::filesystem::exists(model_));
}

TEST_F(CountingProgramTest, NetworksVectorsAreNotThere) {
  ASSERT_EQ(RunFirth(TrainArguments(model_)).code, 0);
  const Outcome embedded = RunFirth({"embed", model_}, {.input = "the cat\n"});
  EXPECT_EQ(embedded.code, 1);
  EXPECT_THAT(embedded.err, HasSubstr("has no layers"));
  const Outcome updated = RunFirth({"lm", "train", "--update", model_,
                                    "--input", text_, "--output", Path("o")});
  EXPECT_EQ(updated.code, 1);
  EXPECT_THAT(updated.err, Not(IsEmpty()));
}

}  // namespace
}  // namespace firth
