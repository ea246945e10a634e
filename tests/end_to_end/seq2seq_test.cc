// firth seq2seq as a user runs it.

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
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
using testing::StartsWith;

class Seq2SeqProgramTest : public ContextualProgramTest {
 protected:
  // Words, and the same words with an "s", whose labels are PL.
  std::string Pairs() const {
    std::string text;
    for (const char* word : {"dog", "cat", "hen", "cow", "pig", "fox"}) {
      absl::StrAppend(&text, word, "\t", word, "s\tN;PL\n", word, "\t", word,
                      "\tN;SG\n");
    }
    return File("pairs.tsv", text);
  }

  std::vector<std::string> TrainArguments(const std::string& model) const {
    return {"seq2seq",         "train", "--input",   Pairs(),
            "--label-column",  "3",     "--tokens",  "characters",
            "--units",         "24",    "--epochs",  "60",
            "--batch",         "4",     "--dropout", "0",
            "--learning-rate", "0.01",  "--threads", "1",
            "--output",        model};
  }
};

TEST_F(Seq2SeqProgramTest, TrainsAppliesAndEvaluatesAModel) {
  const std::string model = Path("m.safetensors");
  std::vector<std::string> arguments = TrainArguments(model);
  arguments.insert(arguments.end(), {"--dev", Pairs(), "--metric", "exact",
                                     "--report", Path("r.json")});
  const Outcome trained = RunFirth(arguments);
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.err,
              AllOf(HasSubstr("best so far"), HasSubstr("exact % 100.00"),
                    HasSubstr("trained  on 12 pairs")));
  const json report = json::parse(ReadWholeFile(Path("r.json")));
  EXPECT_EQ(report["pairs"], 12);
  EXPECT_EQ(report["options"]["label-column"], 3);
  EXPECT_GT(report["best_epoch"], 0);

  const std::string forms = File("forms.tsv", "dog\tN;PL\n\nfox\tN;SG\n");
  const auto apply = [&](const std::string& input) {
    return RunFirth(
        {"seq2seq", "apply", model, "--label-column", "2", "--input", input});
  };
  const Outcome applied = apply(forms);
  EXPECT_EQ(applied.code, 0) << applied.err;
  EXPECT_EQ(applied.out, "dogs\n\nfox\n");
  const Outcome failed = apply(File("none.tsv", "dog\n"));
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.err, HasSubstr("none.tsv:1: expected at least 2 columns"));
  const Outcome best = RunFirth({"seq2seq", "apply", model, "--label-column",
                                 "2", "--input", forms, "--best", "2"});
  const std::vector<std::string> lines = absl::StrSplit(best.out, '\n');
  ASSERT_EQ(lines.size(), 5u) << best.out;
  EXPECT_THAT(lines[0], AllOf(StartsWith("1\t-"), HasSubstr("\tdogs")));
  EXPECT_THAT(lines[2], AllOf(StartsWith("3\t-"), HasSubstr("\tfox")));

  const Outcome scores = RunFirth(
      {"seq2seq", "eval", model, "--input", Pairs(), "--label-column", "3"});
  EXPECT_THAT(scores.out, AllOf(HasSubstr("exact  100.00%  (12 texts)"),
                                HasSubstr("tok:13a|smooth:exp"),
                                HasSubstr("perplexity 1.")));
  const json info = json::parse(RunFirth({"info", model, "--json"}).out);
  EXPECT_EQ(info["kind"], "sequence-to-sequence model");
  EXPECT_EQ(info["attention"], "dot");
}

TEST_F(Seq2SeqProgramTest, ReturnsAndDrawsAttention) {
  const std::string model = Path("m.safetensors");
  ASSERT_EQ(RunFirth(TrainArguments(model)).code, 0);
  const std::string forms = File("forms.tsv", "cat\tN;PL\n");
  const Outcome applied =
      RunFirth({"seq2seq", "apply", model, "--label-column", "2", "--input",
                forms, "--json", "--attention"});
  ASSERT_EQ(applied.code, 0) << applied.err;
  const json answer = json::parse(applied.out);
  EXPECT_EQ(answer["source"], json({"<N>", "<PL>", "c", "a", "t"}));
  EXPECT_EQ(answer["texts"][0]["text"], "cats");
  ASSERT_EQ(answer["texts"][0]["attention"].size(), 5u);
  EXPECT_EQ(answer["texts"][0]["attention"][0].size(), 6u);
  File("a.json", applied.out);
  const Outcome drawn =
      RunFirth({"plot", Path("a.json"), "--output", Path("a.svg")});
  ASSERT_EQ(drawn.code, 0) << drawn.err;
  const std::string svg = ReadWholeFile(Path("a.svg"));
  EXPECT_THAT(svg, AllOf(HasSubstr("&lt;PL&gt;"), HasSubstr(">s<"),
                         HasSubstr("Attention")));
}

TEST_F(Seq2SeqProgramTest, ComparesTwoFiles) {
  const std::string texts = File("t", "a b c d e\nx\n");
  const Outcome scores = RunFirth(
      {"seq2seq", "eval", "--input", texts, "--target", texts, "--json"});
  ASSERT_EQ(scores.code, 0) << scores.err;
  const json found = json::parse(scores.out);
  EXPECT_NEAR(found["bleu"]["score"].get<double>(), 100, 1e-9);
  EXPECT_EQ(found["exact"], 1);
  EXPECT_FALSE(found.contains("perplexity"));
}

// A decoder may write an empty line, which must count.
TEST_F(Seq2SeqProgramTest, ComparesEmptyTextsToo) {
  const Outcome scores =
      RunFirth({"seq2seq", "eval", "--input", File("t", "a b c d e\n\n"),
                "--target", File("r", "a b c d e\nx y z\n"), "--json"});
  ASSERT_EQ(scores.code, 0) << scores.err;
  const json found = json::parse(scores.out);
  EXPECT_EQ(found["texts"], 2);
  EXPECT_EQ(found["exact"], 0.5);
  EXPECT_LT(found["bleu"]["brevity_penalty"], 1);
  const Outcome prefixed =
      RunFirth({"seq2seq", "eval", "--input", Pairs(), "--prefix", "x"});
  EXPECT_EQ(prefixed.code, 2);
  EXPECT_THAT(prefixed.err, HasSubstr("--prefix requires a MODEL"));
}

TEST_F(Seq2SeqProgramTest, SignaturesNameLowerCase) {
  const std::string model = Path("m.safetensors");
  std::vector<std::string> arguments = TrainArguments(model);
  arguments.push_back("--lowercase");
  ASSERT_EQ(RunFirth(arguments).code, 0);
  const Outcome scores =
      RunFirth({"seq2seq", "eval", model, "--input",
                File("p", "DOG\tDogs\tN;PL\n"), "--label-column", "3"});
  EXPECT_THAT(scores.out,
              AllOf(HasSubstr("exact  100.00%"), HasSubstr("|case:lc|")));
}

TEST_F(Seq2SeqProgramTest, ATextHasAsManyTokensAsAllowed) {
  const std::string model = Path("m.safetensors");
  ASSERT_EQ(RunFirth(TrainArguments(model)).code, 0);
  for (const char* const beam : {"1", "5"}) {
    const Outcome written =
        RunFirth({"seq2seq", "apply", model, "--label-column", "2", "--beam",
                  beam, "--max-tokens", "4"},
                 {.input = "cat\tN;PL\n"});
    EXPECT_EQ(written.out, "cats\n") << beam;
  }
}

TEST_F(Seq2SeqProgramTest, ResumesAnInterruptedTraining) {
  const std::string model = Path("m.safetensors");
  std::vector<std::string> arguments = TrainArguments(model);
  arguments.insert(arguments.end(), {"--checkpoint", Path("saved"),
                                     "--checkpoint-every", "10%", "--quiet"});
  ASSERT_EQ(RunFirth(arguments).code, 0);
  const std::string whole = ReadWholeFile(model);
  const json last =
      json::parse(RunFirth({"info", Path("saved"), "--json"}).out);
  EXPECT_EQ(last["kind"], "checkpoint of a sequence-to-sequence model");
  std::filesystem::remove(model);
  std::filesystem::remove(last["newest"].get<std::string>());
  const Outcome resumed =
      RunFirth({"seq2seq", "train", "--resume", Path("saved")});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(ReadWholeFile(model) == whole);
}

TEST_F(Seq2SeqProgramTest, RefusesWhatCannotBe) {
  const std::string pairs = Pairs();
  const std::string model = Path("x.safetensors");
  const std::vector<FailureCase> cases = {
      {"NoInput",
       {"seq2seq", "train", "--output", model},
       2,
       "give the pairs with --input FILE"},
      {"NoOutput",
       {"seq2seq", "train", "--input", pairs},
       2,
       "give the model file with --output MODEL"},
      {"OddUnits",
       {"seq2seq", "train", pairs, "--output", model, "--units", "5"},
       2,
       "units: expected an even number"},
      {"TargetsOfDenoising",
       {"seq2seq", "train", pairs, "--target", pairs, "--denoise", "--output",
        model},
       2,
       "--denoise makes the targets itself"},
      {"FeedingWithoutAttention",
       {"seq2seq", "train", pairs, "--output", model, "--attention", "none",
        "--input-feeding", "false"},
       2,
       "input-feeding"},
      {"OneColumn",
       {"seq2seq", "train", File("one", "a\n"), "--output", model},
       1,
       "one:1: expected at least 2 columns separated by tabs, found 1"},
      {"NotAModel", {"seq2seq", "apply", pairs}, 1, "pairs.tsv"},
      {"NoModel", {"seq2seq", "apply", Path("none")}, 1, "none"},
      {"TooManyResults",
       {"seq2seq", "apply", model, "--beam", "2", "--best", "3"},
       2,
       "best: expected at most as many results as the 2 hypotheses"}};
  for (const FailureCase& one : cases) {
    SCOPED_TRACE(one.name);
    const Outcome outcome = RunFirth(one.arguments);
    EXPECT_EQ(outcome.code, one.code) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(one.message));
    EXPECT_FALSE(std::filesystem::exists(model));
  }
}

}  // namespace
}  // namespace firth
