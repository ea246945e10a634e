// firth lm as a user runs it.

#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/run_program.h"

namespace firth {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class LmTest : public ProgramTest {
 protected:
  // Options for a small and quick training of `text`.
  std::vector<std::string> TrainArguments(
      const std::string& output, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {
        "lm",        "train", "--input",         text_,  "--output",    output,
        "--units",   "16",    "--projection",    "8",    "--batch",     "8",
        "--unroll",  "10",    "--epochs",        "2",    "--min-count", "1",
        "--samples", "10",    "--learning-rate", "0.01", "--threads",   "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  void SetUp() override {
    ProgramTest::SetUp();
    if (IsSkipped()) return;
    text_ = File("text.txt", TwoTopicText(300));
    model_ = Path("m.safetensors");
  }

  // One that lasts until it is stopped, measures itself and saves itself.
  std::vector<std::string> LongTraining() {
    std::vector<std::string> arguments = TrainArguments(
        model_, {"--checkpoint", Path("c"), "--checkpoint-every", "2000",
                 "--valid", text_, "--valid-every", "2000"});
    *(std::find(arguments.begin(), arguments.end(), "--epochs") + 1) = "100000";
    return arguments;
  }

  std::string text_, model_;
};

TEST_F(LmTest, TrainsMeasuresAndGenerates) {
  const Outcome trained = RunFirth(
      TrainArguments(model_, {"--report", Path("r.json"), "--valid", text_,
                              "--char-cnn", "--char-filters", "1x4,2x8"}));
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.out, IsEmpty());
  EXPECT_THAT(trained.err,
              AllOf(HasSubstr("  valid    after "), HasSubstr("perplexity"),
                    HasSubstr("  trained  "), HasSubstr("  wrote    ")));
  const json report = json::parse(ReadWholeFile(Path("r.json")));
  EXPECT_EQ(report.at("options").at("units"), 16);
  EXPECT_EQ(report.at("loss").size(), 2u);
  EXPECT_EQ(report.at("validations").size(), 2u);
  EXPECT_EQ(report.at("interrupted"), false);

  const Outcome table = RunFirth({"lm", "perplexity", model_, "-i", text_});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, AllOf(HasSubstr("forward"), HasSubstr("backward"),
                               HasSubstr("both"), HasSubstr("<UNK>")));
  const json measured = json::parse(
      RunFirth({"lm", "perplexity", model_, "-i", text_, "--json"}).out);
  EXPECT_LT(measured.at("perplexity").get<double>(), 20);
  EXPECT_EQ(measured.at("forward").at("loss"),
            report.at("validations").back().at("forward_loss"));

  const Outcome greedy =
      RunFirth({"lm", "generate", model_, "--max-tokens", "8", "the cat"});
  EXPECT_EQ(greedy.code, 0) << greedy.err;
  EXPECT_THAT(greedy.out, testing::StartsWith("the cat"));
  const Outcome drawn = RunFirth({"lm", "generate", model_, "--temperature",
                                  "1", "--count", "3", "--json"});
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_LT(json::parse(drawn.out.substr(0, drawn.out.find('\n')))
                .at("log_probability")
                .get<double>(),
            0);
  EXPECT_EQ(
      RunFirth({"lm", "generate", model_, "--beam", "4", "--count", "2"}).code,
      0);
}

// The first run is stopped politely, the second is killed; what each of them
// measured shows where it began. (That the result has the bytes of a training
// that nobody stopped is for train_language_model_test.cc.)
TEST_F(LmTest, WhatIsInterruptedGoesOn) {
  const auto arguments = [&](bool resume) {
    std::vector<std::string> all = LongTraining();
    if (resume) all.push_back("--resume");
    return all;
  };
  RunningFirth first(arguments(/*resume=*/false));
  ASSERT_TRUE(first.WaitForError("  valid    after 4,000 tokens"));
  EXPECT_THAT(first.ErrorsSoFar(), HasSubstr("  valid    after 2,000 tokens"));
  first.Signal(SIGINT);
  EXPECT_EQ(first.WaitWithPatience().code, 130);
  EXPECT_TRUE(std::filesystem::exists(model_));
  for (const int signal : {SIGKILL, SIGINT}) {
    SCOPED_TRACE(signal);
    std::filesystem::remove(model_);
    RunningFirth next(arguments(/*resume=*/true));
    ASSERT_TRUE(next.WaitForError("  valid    after "));
    EXPECT_THAT(next.ErrorsSoFar(),
                Not(AnyOf(HasSubstr("  valid    after 2,000 tokens"),
                          HasSubstr("  valid    after 4,000 tokens"))));
    next.Signal(signal);
    EXPECT_EQ(next.WaitWithPatience().code, 128 + signal);
    EXPECT_EQ(std::filesystem::exists(model_), signal == SIGINT);
  }
}

TEST_F(LmTest, ACheckpointOverwritesNothing) {
  for (const std::string name : {"mine", "pipe"}) {
    SCOPED_TRACE(name);
    const std::string path = Path(name);
    if (name == "mine") File(name, "my notes");
    if (name == "pipe") mkfifo(path.c_str(), 0600);
    std::vector<std::string> arguments =
        TrainArguments(model_, {"--checkpoint", path});
    arguments[3] = Path("none");  // found before anything is read
    const Outcome refused = RunFirth(arguments);
    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.err,
                AllOf(HasSubstr(path + ": expected no file of that name"),
                      HasSubstr("resume"), HasSubstr("another name")));
    arguments.push_back("--resume");
    const Outcome resumed = RunFirth(arguments);
    EXPECT_EQ(resumed.code, 1);
    EXPECT_THAT(resumed.err, HasSubstr(path + ": expected a"));
    EXPECT_FALSE(std::filesystem::exists(path + ".lock"));
  }
  EXPECT_EQ(ReadWholeFile(Path("mine")), "my notes");
}

TEST_F(LmTest, ACheckpointThatFailsIsAWarning) {
  ASSERT_EQ(RunFirth(TrainArguments(model_, {"--checkpoint", Path("c")})).code,
            0);
  const auto size = [](const std::string& path) {
    return std::filesystem::file_size(path);
  };
  // The model fits, and the checkpoint does not.
  const uint64_t limit = (size(model_) + size(Path("c"))) / 2;
  ASSERT_GT(limit, size(model_));
  const std::string other = Path("other.safetensors");
  const Outcome trained = RunFirth(
      TrainArguments(other,
                     {"--checkpoint", Path("d"), "--checkpoint-every", "1000"}),
      {.file_size_limit = limit});
  EXPECT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.err,
              HasSubstr("warning: this checkpoint could not be written: " +
                        Path("d") + ": "));
  EXPECT_TRUE(ReadWholeFile(other) == ReadWholeFile(model_));
  for (const auto& entry : std::filesystem::directory_iterator(Path(""))) {
    EXPECT_THAT(entry.path().filename().string(),
                Not(AnyOf(HasSubstr("tmp"), HasSubstr("lock"))));
  }
}

TEST_F(LmTest, ATrainingHasItsCheckpointForItself) {
  std::vector<std::string> arguments = LongTraining();
  RunningFirth running(arguments);
  ASSERT_TRUE(Eventually([&] { return std::filesystem::exists(Path("c")); }));
  arguments.push_back("--resume");
  const Outcome second = RunFirth(arguments);
  EXPECT_EQ(second.code, 1);
  EXPECT_THAT(second.err, AllOf(HasSubstr("firth: " + Path("c") + ": "),
                                HasSubstr("found one that is running")));
  running.Signal(SIGKILL);
  running.WaitWithPatience();
  File("c.tmp-a1b2c3", "half written");
  File("c2.tmp-a1b2c3", "another's");
  RunningFirth third(arguments);
  ASSERT_TRUE(third.WaitForError("  valid    after "));
  third.Signal(SIGINT);
  EXPECT_EQ(third.WaitWithPatience().code, 130);
  EXPECT_FALSE(std::filesystem::exists(Path("c.tmp-a1b2c3")));
  EXPECT_TRUE(std::filesystem::exists(Path("c2.tmp-a1b2c3")));
  EXPECT_FALSE(std::filesystem::exists(Path("c.lock")));
}

TEST_F(LmTest, OddTextsAreRead) {
  std::string odd = "\xff\xfe bad \xc3 utf8\n\n\n<S> </S> <UNK> marks\n";
  for (int i = 0; i < 10'000; ++i) odd += "word ";
  odd += "\n" + std::string(100, 'x') + " long\n";
  const std::string path = File("odd.txt", odd);
  for (const std::string input : {"--char-cnn", "--quiet"}) {
    std::vector<std::string> arguments = TrainArguments(model_, {input});
    arguments[3] = path;
    const Outcome trained = RunFirth(arguments);
    EXPECT_EQ(trained.code, 0) << trained.err;
    const Outcome measured =
        RunFirth({"lm", "perplexity", model_, "--input", path});
    EXPECT_EQ(measured.code, 0) << measured.err;
    EXPECT_THAT(measured.out, Not(HasSubstr("nan")));
  }
}

struct BadCase {
  std::string name;
  std::vector<std::string> arguments;
  std::string message;
  int code = 1;
};

TEST_F(LmTest, WhatIsWrongIsNamed) {
  const std::string empty = File("empty.txt", "");
  const std::string other = File("other.txt", "1 2\na 1 2\n");
  const std::string folder = Path("folder");
  std::filesystem::create_directory(folder);
  const BadCase kCases[] = {
      {"no input", {"lm", "train", "-o", model_}, "missing --input FILE", 2},
      {"no output", {"lm", "train", "-i", text_}, "missing --output MODEL", 2},
      {"empty text", {"lm", "train", "-i", empty, "-o", model_}, "empty.txt"},
      {"no such vectors",
       {"lm", "train", "-i", text_, "-o", model_, "--vectors", Path("none")},
       "none"},
      {"a folder for the output",
       {"lm", "train", "-i", text_, "-o", folder},
       "folder"},
      {"resume from nothing",
       TrainArguments(model_, {"--checkpoint", Path("c"), "--resume"}), "/c"},
      {"resume without checkpoint", TrainArguments(model_, {"--resume"}),
       "--resume goes with --checkpoint FILE", 2},
      {"unknown cell", TrainArguments(model_, {"--cell", "lstn"}),
       "--cell: expected rnn or lstm", 2},
      {"bad filters",
       TrainArguments(model_, {"--char-cnn", "--char-filters", "3"}),
       "--char-filters: expected WIDTHxCOUNT", 2},
      {"filters of nothing", TrainArguments(model_, {"--char-dim", "3"}),
       "--char-dim goes with --char-cnn", 2},
      {"a correction of nothing",
       TrainArguments(model_, {"--correction-dim", "3"}),
       "--correction-dim goes with --char-output", 2},
      {"NCE without biases",
       TrainArguments(model_, {"--char-output", "--head", "nce"}),
       "--char-output goes with --head softmax or sampled", 2},
      {"continuous without vectors",
       {"lm", "train", "-i", text_, "-o", model_, "--head", "continuous"},
       "goes with --vectors FILE",
       2},
      {"output over input",
       {"lm", "train", "-i", text_, "-o", text_},
       "are the same file",
       2},
      {"patience for nothing", TrainArguments(model_, {"--patience", "3"}),
       "--patience goes with --valid FILE", 2},
      {"perplexity of no model",
       {"lm", "perplexity", other, "-i", text_},
       "other.txt"},
      {"perplexity by a text",
       {"lm", "perplexity", text_, "-i", text_},
       "expected a language model, as \"firth lm\" writes it, found no"},
      {"perplexity of nothing",
       {"lm", "perplexity", model_},
       "missing --input FILE",
       2},
      {"generating from no model", {"lm", "generate", Path("none")}, "none"},
      {"a beam at random",
       {"lm", "generate", model_, "--beam", "3", "--temperature", "1"},
       "--beam cannot be combined with --temperature",
       2},
  };
  for (const BadCase& c : kCases) {
    SCOPED_TRACE(c.name);
    const Outcome outcome = RunFirth(c.arguments);
    EXPECT_EQ(outcome.code, c.code) << outcome.err;
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, HasSubstr(c.message));
    EXPECT_FALSE(std::filesystem::exists(model_));
  }
}

}  // namespace
}  // namespace firth
