// firth lm as a user runs it.

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/run_program.h"

namespace firth {
namespace {

using nlohmann::json;
using testing::AllOf;
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

  // Until it is stopped.
  std::vector<std::string> TrainForLong() {
    std::vector<std::string> arguments = TrainArguments(
        model_, {"--checkpoint", Path("c"), "--checkpoint-every", "1s"});
    *(std::find(arguments.begin(), arguments.end(), "--epochs") + 1) = "100000";
    return arguments;
  }
  // The last by name of those in folder c that are not of the start; empty:
  // there is none.
  std::string NewestCheckpoint() const {
    std::string newest;
    std::error_code ignored;
    for (const auto& entry :
         std::filesystem::directory_iterator(Path("c"), ignored)) {
      const std::string path = entry.path().string();
      if (entry.path().extension() == ".safetensors" &&
          path.find("-000000000000000.") == std::string::npos) {
        newest = std::max(newest, path);
      }
    }
    return newest;
  }
  bool WaitForNewCheckpoint(const std::string& before) const {
    for (int i = 0; i < 12000; ++i) {
      if (NewestCheckpoint() > before) return true;
      usleep(5000);
    }
    return false;
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

  // A line each, whose sum is the loss of the whole.
  const Outcome scored = RunFirth({"lm", "score", model_, "-i", text_});
  ASSERT_EQ(scored.code, 0) << scored.err;
  double sum = 0;
  uint64_t tokens = 0;
  for (const absl::string_view line :
       absl::StrSplit(scored.out, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> cells = absl::StrSplit(line, '\t');
    ASSERT_EQ(cells.size(), 3u);
    sum += std::stod(cells[0]);
    tokens += std::stoul(cells[1]);
  }
  const json& forward = measured.at("forward");
  EXPECT_EQ(tokens, forward.at("tokens"));
  EXPECT_NEAR(sum / static_cast<double>(tokens),
              -forward.at("loss").get<double>(), 1e-4);
  const Outcome object = RunFirth({"lm", "score", model_, "--json"},
                                  {.input = "dog  cat\tzzz\n\n"});
  ASSERT_EQ(object.code, 0) << object.err;
  const std::vector<std::string> objects = absl::StrSplit(object.out, '\n');
  ASSERT_EQ(objects.size(), 3u);
  EXPECT_EQ(json::parse(objects[0])["words"], json({"dog", "cat", "zzz"}));
  EXPECT_EQ(json::parse(objects[0])["tokens"], 4);
  EXPECT_EQ(json::parse(objects[0])["num_unknown"], 1);
  EXPECT_EQ(json::parse(objects[1])["tokens"], 1);
  const Outcome beyond =
      RunFirth({"embed", model_, "-i", text_, "--layers", "mix",
                "--mix-weights", "1e308,1e308,1e308"});
  EXPECT_EQ(beyond.code, 1);
  EXPECT_THAT(beyond.err,
              HasSubstr("--mix-weights: expected numbers with a finite sum"));

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

TEST_F(LmTest, WhatIsInterruptedSaysHowItGoesOn) {
  RunningFirth running(TrainForLong());
  ASSERT_TRUE(WaitForNewCheckpoint(""));
  running.Signal(SIGINT);
  const Outcome stopped = running.Wait();
  EXPECT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("lm train --resume " + Path("c")));
  EXPECT_TRUE(std::filesystem::exists(model_));
}

TEST_F(LmTest, AResumedTrainingEndsWithTheSameModel) {
  ASSERT_EQ(RunFirth(TrainArguments(model_, {"--checkpoint", Path("c"),
                                             "--checkpoint-every", "10%"}))
                .code,
            0);
  const std::string whole = ReadWholeFile(model_);
  std::filesystem::remove(model_);
  std::filesystem::remove(NewestCheckpoint());
  const Outcome resumed = RunFirth({"lm", "train", "--resume", Path("c")});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(ReadWholeFile(model_) == whole);
}

TEST_F(LmTest, AModelGoesOnWithNewText) {
  ASSERT_EQ(RunFirth(TrainArguments(model_, {"--char-cnn"})).code, 0);
  const std::string updated = Path("updated.safetensors");
  const std::vector<std::string> update = {"lm",        "train",
                                           "--update",  model_,
                                           "--input",   text_,
                                           "--output",  updated,
                                           "--epochs",  "1",
                                           "--threads", "1",
                                           "--quiet",   "--checkpoint",
                                           Path("c"),   "--checkpoint-every",
                                           "50%"};
  const Outcome trained = RunFirth(update);
  ASSERT_EQ(trained.code, 0) << trained.err;
  // Its shape is the model's, what was not told the program's.
  const std::string info = RunFirth({"info", updated}).out;
  for (const char* told : {"\"units\":16", "\"min-count\":1", "\"epochs\":1.0",
                           "\"char-cnn\":true", "\"batch\":32"}) {
    EXPECT_THAT(info, HasSubstr(told));
  }
  EXPECT_THAT(info, HasSubstr("updated-tokens"));
  const std::string whole = ReadWholeFile(updated);
  std::filesystem::remove(updated);
  std::filesystem::remove(NewestCheckpoint());
  EXPECT_EQ(RunFirth({"lm", "train", "--resume", Path("c")}).code, 0);
  EXPECT_TRUE(ReadWholeFile(updated) == whole);
}

TEST_F(LmTest, AModelGoesOnAsItIs) {
  ASSERT_EQ(RunFirth(TrainArguments(model_)).code, 0);
  const auto refusal = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {
        "lm",       "train", "--input", text_,
        "--update", model_,  "-o",      Path("updated.safetensors")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome refused = RunFirth(arguments);
    EXPECT_NE(refused.code, 0);
    EXPECT_FALSE(std::filesystem::exists(Path("updated.safetensors")));
    return refused.err;
  };
  EXPECT_THAT(refusal({"--units", "32"}),
              HasSubstr("--units was 16 and is now 32"));
  EXPECT_THAT(refusal({"--min-count", "5"}), HasSubstr("--min-count was 1"));
  EXPECT_THAT(refusal({"--vectors", text_}),
              HasSubstr("--vectors cannot be combined with --update"));
  const Outcome no_model = RunFirth(
      {"lm", "train", "--input", text_, "--update", text_, "-o", Path("u")});
  EXPECT_EQ(no_model.code, 1);
  EXPECT_THAT(no_model.err, HasSubstr(text_ + ": "));
}

TEST_F(LmTest, AttentionTellsWhoLooksAtWhom) {
  ASSERT_EQ(RunFirth({"lm",       "train",   "--input",     text_,
                      "--output", model_,    "--network",   "transformer",
                      "--units",  "8",       "--heads",     "2",
                      "--layers", "1",       "--context",   "8",
                      "--epochs", "1",       "--min-count", "1",
                      "--reads",  "forward", "--quiet"})
                .code,
            0);
  const Outcome table =
      RunFirth({"lm", "attention", model_, "--top", "9"}, {.input = "a b\n"});
  ASSERT_EQ(table.code, 0) << table.err;
  // <S> sees itself alone.
  EXPECT_THAT(
      table.out,
      testing::StartsWith("forward\t1\t1\t<S>\t<S>\t1.0000\nforward\t1\t1\ta"));
  EXPECT_THAT(table.out, HasSubstr("forward\t1\t2\t</S>\t"));
  EXPECT_THAT(table.out, testing::EndsWith("\n\n"));
  const Outcome object =
      RunFirth({"lm", "attention", model_, "--json"}, {.input = "a b\n"});
  const json heads = json::parse(object.out);
  EXPECT_EQ(heads["tokens"].dump(), R"(["<S>","a","b","</S>"])");
  ASSERT_EQ(heads["heads"].size(), 2u);
  EXPECT_EQ(heads["heads"][1]["head"], 2);
  EXPECT_EQ(heads["heads"][1]["weights"][0].dump(), "[1.0,0.0,0.0,0.0]");
}

TEST_F(LmTest, AttentionNamesItsDirection) {
  for (const auto& [option, value, direction] :
       {std::tuple("--predict", "masked", "both"),
        std::tuple("--reads", "backward", "backward")}) {
    ASSERT_EQ(RunFirth({"lm",       "train", "--input",     text_,
                        "--output", model_,  "--network",   "transformer",
                        "--units",  "8",     "--heads",     "2",
                        "--layers", "1",     "--context",   "8",
                        "--epochs", "0.1",   "--min-count", "1",
                        option,     value,   "--quiet"})
                  .code,
              0);
    const Outcome table =
        RunFirth({"lm", "attention", model_}, {.input = "a b\n"});
    EXPECT_THAT(table.out, testing::StartsWith(absl::StrCat(direction, "\t1")));
    EXPECT_THAT(table.out, Not(HasSubstr("forward")));
  }
}

TEST_F(LmTest, GradientsAreMeasuredAndDrawn) {
  ASSERT_EQ(RunFirth(TrainArguments(model_, {"--layers", "1"})).code, 0);
  const std::vector<std::string> measure = {
      "lm", "gradients", model_, "--input", text_, "--steps", "12"};
  const Outcome table = RunFirth(measure);
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, AllOf(HasSubstr("distance"), HasSubstr("input"),
                               HasSubstr("1.output"), HasSubstr("1.state")));
  EXPECT_THAT(table.out, testing::ContainsRegex("\n *11 "));
  std::vector<std::string> as_json = measure;
  as_json.push_back("--json");
  const Outcome object = RunFirth(as_json);
  const json gradients = json::parse(object.out)["gradients"];
  ASSERT_EQ(gradients.size(), 3u);
  EXPECT_EQ(gradients[0]["of"], "input");
  EXPECT_EQ(gradients[0]["norms"].size(), 12u);
  EXPECT_EQ(gradients[2]["first_distance"], 1);
  const std::string one = File("one.json", object.out);
  const std::string two = File("two.json", object.out);
  EXPECT_EQ(RunFirth({"plot", one, "-o", Path("one.svg")}).code, 0);
  EXPECT_THAT(ReadWholeFile(Path("one.svg")),
              AllOf(HasSubstr("1.state"), HasSubstr("distance in tokens")));
  // With several files, only the gradients of the input are drawn.
  EXPECT_EQ(RunFirth({"plot", one, two, "-o", Path("two.svg")}).code, 0);
  EXPECT_THAT(ReadWholeFile(Path("two.svg")),
              AllOf(Not(HasSubstr("1.state")), HasSubstr("one.json")));
  const Outcome bad =
      RunFirth({"plot", File("bad.json", R"({"gradients":[{"of":"input"}]})"),
                "-o", Path("bad.svg")});
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.err, HasSubstr("bad.json: expected \"of\""));
  const Outcome cut =
      RunFirth({"plot", File("cut.json", object.out.substr(0, 100)), "-o",
                Path("cut.svg")});
  EXPECT_EQ(cut.code, 1);
  EXPECT_THAT(cut.err, HasSubstr("cut.json: expected JSON"));
}

// The same lines of other words have the same ids.
TEST_F(LmTest, NextSentencesAreLearntOfDocuments) {
  std::string text;
  for (int d = 0; d < 40; ++d) {
    text += d % 2 == 0 ? "a b c\nb a\nc c b\n\n" : "x y z\ny x\nz z y\n\n";
  }
  const std::string model = Path("pairs.safetensors");
  const std::vector<std::string> arguments = {"lm",
                                              "train",
                                              "--input",
                                              File("docs", text),
                                              "--output",
                                              model,
                                              "--network",
                                              "transformer",
                                              "--predict",
                                              "masked",
                                              "--next-sentence",
                                              "--units",
                                              "16",
                                              "--layers",
                                              "1",
                                              "--heads",
                                              "2",
                                              "--context",
                                              "12",
                                              "--batch",
                                              "4",
                                              "--epochs",
                                              "20",
                                              "--min-count",
                                              "1",
                                              "--threads",
                                              "1",
                                              "--checkpoint",
                                              Path("saved"),
                                              "--checkpoint-every",
                                              "10%",
                                              "--quiet"};
  const Outcome trained = RunFirth(arguments);
  ASSERT_EQ(trained.code, 0) << trained.err;
  const std::string whole = ReadWholeFile(model);
  const Outcome told =
      RunFirth({"lm", "next", model}, {.input = "a b\tc b\na b\tz y\n"});
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_THAT(RunFirth({"lm", "fill", model, "a <MASK> c"}).out,
              HasSubstr("   1  b "));
  // A training that goes on ends alike.
  const auto last =
      nlohmann::json::parse(RunFirth({"info", Path("saved"), "--json"}).out);
  std::filesystem::remove(last["newest"].get<std::string>());
  std::filesystem::remove(model);
  const Outcome resumed = RunFirth({"lm", "train", "--resume", Path("saved")});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(ReadWholeFile(model) == whole);
  // What is no text of documents, and no network for it.
  const auto failing = [&](const std::string& input,
                           const std::vector<std::string>& more) {
    std::vector<std::string> with = {"lm",
                                     "train",
                                     "-i",
                                     input,
                                     "-o",
                                     Path("no.safetensors"),
                                     "--next-sentence"};
    with.insert(with.end(), more.begin(), more.end());
    const Outcome outcome = RunFirth(with);
    EXPECT_NE(outcome.code, 0);
    EXPECT_FALSE(std::filesystem::exists(Path("no.safetensors")));
    return outcome.err;
  };
  std::string one;
  for (int i = 0; i < 200; ++i) one += "a b c\n";
  EXPECT_THAT(failing(File("one", one),
                      {"--network", "transformer", "--predict", "masked",
                       "--min-count", "1", "--units", "16"}),
              HasSubstr("the text needs at least two documents, separated by "
                        "empty lines, found 1"));
  EXPECT_THAT(failing(File("one", one), {"--network", "transformer"}),
              HasSubstr("--next-sentence requires --predict masked"));
  EXPECT_THAT(failing(File("one", one), {"--predict", "masked"}),
              HasSubstr("--network transformer, but --network is recurrent"));
  EXPECT_THAT(
      failing(File("one", one), {"--network", "transformer", "--predict",
                                 "masked", "--split-punctuation"}),
      HasSubstr("cannot be combined with --split-punctuation"));
  // A line that is too long ends nothing.
  const Outcome goes_on = RunFirth(
      {"lm", "next", model},
      {.input = absl::StrCat("a b\tc b\n", std::string(20'000'000, 'x'),
                             "\na b\tc b\n")});
  EXPECT_EQ(goes_on.code, 1);
  EXPECT_THAT(goes_on.err, HasSubstr("standard input:2: expected a line of at "
                                     "most 16777216 bytes"));
  const std::vector<std::string> answers = absl::StrSplit(goes_on.out, '\n');
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_EQ(answers[0], answers[2]);
  EXPECT_EQ(answers[1], "-");
}

TEST_F(LmTest, SpansAreTakenOutOfSentences) {
  const ProgramOptions text{.input = "a b c d e f g h i j\n\nk\n"};
  const Outcome lines =
      RunFirth({"lm", "corrupt", "--share", "0.3", "--mean-length", "3"}, text);
  ASSERT_EQ(lines.code, 0) << lines.err;
  EXPECT_EQ(lines.out,
            "a b c d e f g <extra_id_0>\t<extra_id_0> h i j <extra_id_1>\n"
            "\t<extra_id_0>\nk\t<extra_id_0>\n");
  const Outcome objects = RunFirth({"lm", "corrupt", "--json"}, text);
  ASSERT_EQ(objects.code, 0) << objects.err;
  const std::vector<std::string> first = absl::StrSplit(objects.out, '\n');
  EXPECT_EQ(nlohmann::json::parse(first[2])["input"],
            nlohmann::json::array({"k"}));
  EXPECT_NE(
      RunFirth({"lm", "corrupt", "--share", "0.5"}, text).out,
      RunFirth({"lm", "corrupt", "--share", "0.5", "--seed", "2"}, text).out);
  const Outcome twice = RunFirth({"lm", "corrupt"}, {.input = lines.out});
  EXPECT_EQ(twice.code, 1);
  EXPECT_THAT(twice.err,
              HasSubstr("sentence 1: the text must not contain "
                        "sentinels such as <extra_id_0>, found <extra_id_0>"));
  EXPECT_EQ(twice.out, "");
  EXPECT_EQ(RunFirth({"lm", "corrupt", "--share", "1"}).code, 2);
}

TEST_F(LmTest, ATextOfOtherWordsIsAnotherTraining) {
  ASSERT_EQ(RunFirth(TrainArguments(model_, {"--checkpoint", Path("c")})).code,
            0);
  std::string words = ReadWholeFile(text_);
  for (char& character : words) {
    if (std::isalpha(static_cast<unsigned char>(character)) != 0) {
      character = static_cast<char>(std::toupper(character));
    }
  }
  WriteWholeFile(text_, words);
  const Outcome resumed = RunFirth({"lm", "train", "--resume", Path("c")});
  EXPECT_EQ(resumed.code, 1) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("text changed (its checksum was "));
}

TEST_F(LmTest, ACheckpointOverwritesNothing) {
  const std::string endless = Path("endless");  // to who reads it
  ASSERT_EQ(mkfifo(endless.c_str(), 0600), 0);
  for (const std::string name : {"mine", "pipe"}) {
    SCOPED_TRACE(name);
    const std::string path = Path(name);
    if (name == "mine") File(name, "my notes");
    if (name == "pipe") mkfifo(path.c_str(), 0600);
    std::vector<std::string> arguments =
        TrainArguments(model_, {"--checkpoint", path});
    arguments[3] = endless;  // found before anything is read
    const Outcome refused = RunFirth(arguments);
    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.err, HasSubstr(path + ": "));
    const Outcome resumed = RunFirth({"lm", "train", "--resume", path});
    EXPECT_EQ(resumed.code, 1);
    EXPECT_THAT(resumed.err, HasSubstr(path + ": cannot open the folder"));
    EXPECT_FALSE(std::filesystem::exists(path + ".lock"));
  }
  EXPECT_EQ(ReadWholeFile(Path("mine")), "my notes");
  const std::vector<std::string> saved =
      TrainArguments(model_, {"--checkpoint", Path("c")});
  ASSERT_EQ(RunFirth(saved).code, 0);
  const Outcome again = RunFirth(saved);
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(
      again.err,
      HasSubstr(Path("c") + ": the folder already contains checkpoints"));
}

// When it was a file, and only of the version that wrote it.
TEST_F(LmTest, ACheckpointOfAnEarlierVersionIsRefused) {
  const char* const source = std::getenv("FIRTH_SOURCE");
  if (source == nullptr) GTEST_SKIP() << "FIRTH_SOURCE is not set";
  const Outcome refused =
      RunFirth({"lm", "train", "--resume",
                std::string(source) + "/tests/testdata/lm.checkpoint"});
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("testdata/lm.checkpoint: this is a checkpoint of "
                              "a language model"),
                    HasSubstr("as an earlier version of Firth wrote it")));
}

TEST_F(LmTest, ACheckpointThatFailsIsAWarning) {
  ASSERT_EQ(RunFirth(TrainArguments(model_, {"--checkpoint", Path("c")})).code,
            0);
  const auto size = [](const std::string& path) {
    return std::filesystem::file_size(path);
  };
  // The model fits, and the checkpoint does not.
  const uint64_t limit = (size(model_) + size(NewestCheckpoint())) / 2;
  ASSERT_GT(limit, size(model_));
  const std::string other = Path("other.safetensors");
  const Outcome trained = RunFirth(
      TrainArguments(other,
                     {"--checkpoint", Path("d"), "--checkpoint-every", "10%"}),
      {.file_size_limit = limit});
  EXPECT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(
      trained.err,
      HasSubstr("warning: cannot write a checkpoint: " + Path("d") + "/"));
  EXPECT_TRUE(ReadWholeFile(other) == ReadWholeFile(model_));
  EXPECT_TRUE(std::filesystem::is_empty(Path("d")));
}

TEST_F(LmTest, ATrainingHasItsCheckpointsForItself) {
  const std::vector<std::string> resume = {"lm", "train", "--resume",
                                           Path("c")};
  RunningFirth running(TrainForLong());
  ASSERT_TRUE(WaitForNewCheckpoint(""));
  const Outcome second = RunFirth(resume);
  EXPECT_EQ(second.code, 1);
  EXPECT_THAT(second.err,
              AllOf(HasSubstr("firth: " + Path("c") + ": "),
                    HasSubstr("another training run is saving there now")));
  running.Signal(SIGKILL);
  running.Wait();
  const std::string half =
      File("c/checkpoint-0-000000000000500.safetensors.tmp-a1b2c3", "half");
  const std::string another = File("c/mine.tmp-a1b2c3", "another's");
  const std::string newest = NewestCheckpoint();
  RunningFirth third(resume);
  ASSERT_TRUE(WaitForNewCheckpoint(newest));
  third.Signal(SIGINT);
  EXPECT_EQ(third.Wait().code, 130);
  EXPECT_FALSE(std::filesystem::exists(half));
  EXPECT_TRUE(std::filesystem::exists(another));
  EXPECT_FALSE(std::filesystem::exists(Path("c/.lock")));
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
      {"no input",
       {"lm", "train", "-o", model_},
       "give the text with --input FILE",
       2},
      {"no output",
       {"lm", "train", "-i", text_},
       "give the model file with --output MODEL",
       2},
      {"empty text", {"lm", "train", "-i", empty, "-o", model_}, "empty.txt"},
      {"no such vectors",
       {"lm", "train", "-i", text_, "-o", model_, "--vectors", Path("none")},
       "none"},
      {"a folder for the output",
       {"lm", "train", "-i", text_, "-o", folder},
       "folder"},
      {"resume from nothing", {"lm", "train", "--resume", Path("c")}, "/c"},
      {"checkpoints nowhere",
       TrainArguments(model_, {"--checkpoint-every", "5%"}),
       "--checkpoint-every requires --checkpoint FOLDER", 2},
      {"unknown cell", TrainArguments(model_, {"--cell", "lstn"}),
       "--cell: expected rnn, lstm", 2},
      {"bad filters",
       TrainArguments(model_, {"--char-cnn", "--char-filters", "3"}),
       "--char-filters: expected WIDTHxCOUNT", 2},
      {"filters of nothing", TrainArguments(model_, {"--char-dim", "3"}),
       "--char-dim requires --char-cnn", 2},
      {"a correction of nothing",
       TrainArguments(model_, {"--correction-dim", "3"}),
       "--correction-dim requires --char-output", 2},
      {"NCE without biases",
       TrainArguments(model_, {"--char-output", "--head", "nce"}),
       "--char-output requires --head softmax or sampled", 2},
      {"continuous without vectors",
       {"lm", "train", "-i", text_, "-o", model_, "--head", "continuous"},
       "requires --vectors FILE",
       2},
      {"output over input",
       {"lm", "train", "-i", text_, "-o", text_},
       "are the same file",
       2},
      {"a long warmup", TrainArguments(model_, {"--warmup", "3000000000"}),
       "--warmup: expected a whole number, 0 to 2147483647, found", 2},
      {"patience for nothing", TrainArguments(model_, {"--patience", "3"}),
       "--patience requires --valid FILE", 2},
      {"perplexity of no model",
       {"lm", "perplexity", other, "-i", text_},
       "other.txt"},
      {"perplexity by a text",
       {"lm", "perplexity", text_, "-i", text_},
       "expected a language model as \"firth lm\" writes it, found a file that "
       "is not"},
      {"perplexity of nothing",
       {"lm", "perplexity", model_},
       "give the text with --input FILE",
       2},
      {"generating from no model", {"lm", "generate", Path("none")}, "none"},
      {"a beam at random",
       {"lm", "generate", model_, "--beam", "3", "--temperature", "1"},
       "beam: a temperature above 0 requires beam 1",
       2},
      {"the likeliest of the likeliest",
       {"lm", "generate", model_, "--top-k", "3"},
       "--top-k requires --temperature above 0",
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
