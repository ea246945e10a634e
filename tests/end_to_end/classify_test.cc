// firth classify as a user runs it, with the messages of datasets/.

#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/compress.h"
#include "support/run_program.h"

namespace firth {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

std::vector<std::string> LinesOf(absl::string_view text) {
  text = absl::StripSuffix(text, "\n");
  return absl::StrSplit(text, '\n');
}

class ClassifyTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (IsSkipped()) return;
    const char* const source = std::getenv("FIRTH_SOURCE");
    const std::string folder =
        absl::StrCat(source == nullptr ? "." : source, "/datasets/");
    train_ = folder + "messages.train.txt";
    test_ = folder + "messages.test.txt";
    model_ = Path("m.safetensors");
  }

  // "firth classify" with these.
  static Outcome Classify(std::vector<std::string> arguments,
                          const ProgramOptions& options = {}) {
    arguments.insert(arguments.begin(), "classify");
    return RunFirth(arguments, options);
  }

  // Trains model_, quickly.
  Outcome Train(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {
        "classify", "train", "--input", train_, "--output",  model_,
        "--dim",    "8",     "--seed",  "1",    "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunFirth(arguments);
  }

  std::string train_, test_, model_;
};

TEST_F(ClassifyTest, LearnsPredictsAndMeasures) {
  const Outcome trained = Train({"--report", Path("r.json")});
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.err, AllOf(HasSubstr("260 texts of 4 labels"),
                                 HasSubstr("m.safetensors: 4 labels")));
  const json report = json::parse(ReadWholeFile(Path("r.json")));
  EXPECT_EQ(report["texts"], 260);
  EXPECT_EQ(report["labels"], 4);
  EXPECT_EQ(report["options"]["dim"], 8);

  const Outcome measured = Classify({"eval", model_, "--input", test_});
  ASSERT_EQ(measured.code, 0) << measured.err;
  EXPECT_THAT(measured.out,
              AllOf(StartsWith("accuracy "), HasSubstr("of 100 texts"),
                    HasSubstr("delivery"), HasSubstr("true / predicted"),
                    HasSubstr("probability")));
  const Outcome as_json = Classify({"eval", model_, "-i", test_, "--json"});
  const json scores = json::parse(as_json.out);
  EXPECT_EQ(scores["texts"], 100);
  // Whoever says the most frequent label is right 30 times.
  EXPECT_GT(scores["accuracy"], 0.85);
}

TEST_F(ClassifyTest, PredictsALineForEachText) {
  ASSERT_EQ(Train().code, 0);
  const Outcome one = Classify({"predict", model_},
                               {.input = "You took the money twice .\n"
                                         "The handle came off in my hand .\n"});
  ASSERT_EQ(one.code, 0) << one.err;
  const std::vector<std::string> lines = LinesOf(one.out);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines[0], StartsWith("payment\t0."));
  EXPECT_THAT(lines[1], StartsWith("fault\t0."));

  const Outcome all = Classify({"predict", model_, "--top", "0", "--json"},
                               {.input = "My daughter loves it .\n"});
  const json labels = json::parse(all.out)["labels"];
  ASSERT_THAT(labels, SizeIs(4));
  double sum = 0;
  for (const json& label : labels) sum += label["probability"].get<double>();
  EXPECT_NEAR(sum, 1, 1e-4);
  EXPECT_EQ(labels[0]["label"], "praise");
  EXPECT_GE(labels[0]["probability"], labels[1]["probability"]);

  const Outcome none =
      Classify({"predict", model_, "--top", "0", "--threshold", "1"},
               {.input = "qqq\n"});
  EXPECT_EQ(none.out, "\n");
}

TEST_F(ClassifyTest, TextsOfWhichNothingIsKnownAreMarked) {
  ASSERT_EQ(Train().code, 0);
  const ProgramOptions lines{.input = "\nYou took the money\n\u0444\u0436\n"};
  const Outcome outcome = Classify({"predict", model_, "--json"}, lines);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<std::string> found = LinesOf(outcome.out);
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(json::parse(found[0])["known"], 0);
  EXPECT_GT(json::parse(found[1])["known"], 3);
  EXPECT_EQ(found[2], found[0]);
  EXPECT_THAT(outcome.err,
              HasSubstr("2 texts of 3 without any known word or n-gram"));
  // As frequent as in the training texts.
  size_t texts = 0, of_label = 0;
  const std::string label =
      json::parse(found[0])["labels"][0]["label"].get<std::string>();
  for (const std::string& line : LinesOf(ReadWholeFile(train_))) {
    ++texts;
    of_label += absl::StrContains(line, "__label__" + label + " ") ? 1 : 0;
  }
  EXPECT_NEAR(json::parse(found[0])["labels"][0]["probability"].get<double>(),
              static_cast<double>(of_label) / static_cast<double>(texts), 1e-4);
  const Outcome known =
      Classify({"predict", model_}, {.input = "You took the money\n"});
  EXPECT_THAT(known.err, IsEmpty());
}

TEST_F(ClassifyTest, FilesOfFoldersAreNamed) {
  ASSERT_EQ(Train().code, 0);
  std::filesystem::create_directories(Path("in/b"));
  const std::string first = File("in/a.txt", "You took the money twice .\n");
  const std::string second = File("in/b/c.txt", "It leaks .\n");
  const Outcome outcome = Classify(
      {"predict", model_, "--form", "folders", "-i", Path("in"), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<std::string> lines = LinesOf(outcome.out);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(json::parse(lines[0])["file"], first);
  EXPECT_EQ(json::parse(lines[1])["file"], second);
  EXPECT_THAT(json::parse(lines[1])["answer"]["labels"], SizeIs(1));
  EXPECT_FALSE(json::parse(Classify({"predict", model_, "--json"},
                                    {.input = "It leaks .\n"})
                               .out)
                   .contains("file"));
  const Outcome measured =
      Classify({"eval", model_, "--form", "folders", "-i", Path("in")});
  EXPECT_THAT(measured.err,
              HasSubstr("left out 1 outside of the folders of labels"));
}

TEST_F(ClassifyTest, PredictsTextsAsTheyArrive) {
  ASSERT_EQ(Train().code, 0);
  const std::string pipe = Path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  RunningFirth program({"classify", "predict", model_}, {.input_path = pipe});
  const PipeWriter writer(pipe);
  writer.Write("It leaks from the bottom .\n");
  ASSERT_TRUE(program.WaitForOutput());
  EXPECT_THAT(program.OutputSoFar(), StartsWith("fault\t"));
  program.Signal(SIGKILL);
}

TEST_F(ClassifyTest, TextsHaveTheFormOfASentenceModel) {
  std::string pairs, texts;
  for (int i = 0; i < 20; ++i) {
    pairs += "a cat sat\tthe dog sat\nstars shine\tthe sun shines\n";
    texts += "__label__pet A cat sat\n__label__sky The SUN shines\n";
  }
  const std::string sentences = Path("sentences.safetensors");
  ASSERT_EQ(RunFirth({"sentences", "train", "--pairs", File("p.tsv", pairs),
                      "--output", sentences, "--lowercase", "--dim", "12",
                      "--min-count", "1", "--quiet"})
                .code,
            0);
  const Outcome trained =
      Classify({"train", "--input", File("texts", texts), "--vectors",
                sentences, "--output", model_, "--quiet"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const std::vector<std::string> lines =
      LinesOf(Classify({"predict", model_, "--json"},
                       {.input = "A CAT\na cat\nThe Sun\n"})
                  .out);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0], lines[1]);
  const auto best = [&](size_t line) {
    return json::parse(lines[line])["labels"][0]["label"];
  };
  EXPECT_EQ(best(0), "pet");
  EXPECT_EQ(best(2), "sky");
}

TEST_F(ClassifyTest, OneSeedAndOneThreadGiveTheSameFile) {
  ASSERT_EQ(Train().code, 0);
  const std::string first = ReadWholeFile(model_);
  ASSERT_EQ(Train().code, 0);
  EXPECT_EQ(ReadWholeFile(model_), first);
}

TEST_F(ClassifyTest, ComparesTwoModelsOnTheSameTexts) {
  ASSERT_EQ(Train().code, 0);
  const std::string other = Path("other.safetensors");
  ASSERT_EQ(Classify({"train", "-i", train_, "-o", other, "--parts", "deep",
                      "--epochs", "1", "-q"})
                .code,
            0);
  const Outcome tables = Classify({"eval", model_, other, "-i", test_});
  ASSERT_EQ(tables.code, 0) << tables.err;
  EXPECT_THAT(tables.out, AllOf(HasSubstr("A  " + model_), HasSubstr("B - A"),
                                HasSubstr("accuracy")));
  const json compared = json::parse(
      Classify({"eval", model_, model_, "-i", test_, "--json"}).out);
  EXPECT_EQ(compared["compared"]["p"], 1);
  EXPECT_EQ(compared["models"][0]["accuracy"],
            compared["models"][1]["accuracy"]);
}

TEST_F(ClassifyTest, ExplainsTextsAndLabels) {
  ASSERT_EQ(Train().code, 0);
  const json text = json::parse(
      Classify({"explain", model_, "--text", "My card was refused .", "--json"})
          .out);
  EXPECT_EQ(text["label"], "payment");
  std::set<std::string> ngrams;
  for (const json& ngram : text["ngrams"]) ngrams.insert(ngram["ngram"]);
  EXPECT_TRUE(ngrams.contains("refused") || ngrams.contains("card") ||
              ngrams.contains("My card"))
      << text;

  const Outcome labels = Classify({"explain", model_, "--top", "3"});
  ASSERT_EQ(labels.code, 0) << labels.err;
  EXPECT_THAT(LinesOf(labels.out), SizeIs(16));  // 4 labels of 3 n-grams

  const Outcome of_file = Classify(
      {"explain", model_, "--input", test_, "--label", "fault", "--json"});
  ASSERT_EQ(of_file.code, 0) << of_file.err;
  const std::vector<std::string> lines = LinesOf(of_file.out);
  ASSERT_THAT(lines, SizeIs(100));
  EXPECT_EQ(json::parse(lines[0])["label"], "fault");

  const Outcome unknown = Classify({"explain", model_, "--label", "fualt"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean fault?"));
}

TEST_F(ClassifyTest, QuantizesToASize) {
  ASSERT_EQ(Train().code, 0);
  const std::string small = Path("small.safetensors");
  const Outcome outcome = Classify({"quantize", model_, "--max-size", "100K",
                                    "--input", train_, "--output", small});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_LE(std::filesystem::file_size(small), 100'000);
  EXPECT_GT(
      json::parse(
          Classify({"eval", small, "-i", test_, "--json"}).out)["accuracy"],
      0.8);
  const Outcome too_small = Classify(
      {"quantize", model_, "--max-size", "100", "--output", Path("no")});
  EXPECT_EQ(too_small.code, 1);
  EXPECT_FALSE(std::filesystem::exists(Path("no")));
}

TEST_F(ClassifyTest, TunesTheSameWayTwice) {
  const auto tune = [&](const std::string& threads) {
    return Classify({"tune", "--input", train_, "--budget", "3M", "--folds",
                     "3", "--dim", "8", "--threads", threads, "--report",
                     Path("t.json")});
  };
  const Outcome first = tune("1");
  ASSERT_EQ(first.code, 0) << first.err;
  const json report = json::parse(ReadWholeFile(Path("t.json")));
  EXPECT_EQ(report["budget_tokens"], 3000000);
  EXPECT_GT(report["trials"].size(), 4);
  EXPECT_EQ(report["trials"][0]["options"]["dim"], 8);
  for (const json& trial : report["trials"]) {
    // It was given; a wide part alone has none.
    EXPECT_EQ(trial["options"].value("dim", 8), 8);
  }
  EXPECT_THAT(first.out, AllOf(HasSubstr("trial"), HasSubstr("best of")));
  EXPECT_EQ(tune("2").out, first.out);
}

TEST_F(ClassifyTest, TuningTrainsWithTheBestOptions) {
  const Outcome outcome =
      Classify({"tune", "-i", train_, "--valid", test_, "--budget", "200K",
                "--metric", "precision@recall=.9:fault", "--output", model_});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(Classify({"eval", model_, "-i", test_}).code, 0);
}

TEST_F(ClassifyTest, AnInterruptedTuningKeepsTheBest) {
  RunningFirth program({"classify", "tune", "-i", train_, "--budget", "100G",
                        "--output", model_});
  ASSERT_TRUE(program.WaitForError("trial   2"));
  program.Signal(SIGINT);
  const Outcome outcome = program.Wait();
  EXPECT_EQ(outcome.code, 130);
  EXPECT_THAT(outcome.err, HasSubstr("interrupted"));
  EXPECT_THAT(outcome.out, HasSubstr("best of"));
  EXPECT_EQ(Classify({"eval", model_, "-i", test_}).code, 0);
}

// The last checkpoint is of some time before the end.
TEST_F(ClassifyTest, GoesOnFromACheckpointToTheSameFile) {
  ASSERT_EQ(
      Train({"--checkpoint", Path("c"), "--checkpoint-every", "30%"}).code, 0);
  const std::string whole = ReadWholeFile(model_);
  std::filesystem::remove(model_);
  const Outcome outcome = Classify({"train", "--resume", Path("c")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(ReadWholeFile(model_), whole);
  EXPECT_THAT(Classify({"train", "--resume", Path("c"), "--dim", "9"}).err,
              HasSubstr("--dim was 8 and is now 9"));
}

struct WrongCase {
  const char* name;
  std::vector<std::string> arguments;  // @ stands for the test's folder
  int code;
  std::string message;
};

TEST_F(ClassifyTest, WhatIsWrongIsSaid) {
  File("one.txt", "__label__a x\n__label__a y\n");
  File("two.txt", "__label__a x\n__label__b y\n");
  File("none.txt", "__label__a x\nno label here\n");
  File("empty.txt", "");
  File("table.csv", "kind,words\na,x\n");
  File("cut.jsonl", "{\"label\":\"a\",\"text\":\"x\"}\n{\"label\":\"a\",\n");
  File("number.jsonl",
       "{\"label\":\"a\",\"text\":\"x\"}\n{\"label\":\"a\",\"text\":5}\n");
  File("fraction.jsonl", "{\"label\":1.5,\"text\":\"x\"}\n");
  ASSERT_EQ(Train().code, 0);
  File("m.safetensors.gz", Gzip(ReadWholeFile(model_)));
  const std::string out = Path("out.safetensors");
  const WrongCase kCases[] = {
      {"no input", {"train", "-o", out}, 2, "give the texts with --input FILE"},
      {"no output",
       {"train", "-i", train_},
       2,
       "give the model file with --output MODEL"},
      {"a form that is only read",
       {"train", "-i", train_, "-o", "@/small.ftz"},
       2,
       ".ftz models are only read"},
      {"no file", {"train", "-i", "@/no.txt", "-o", out}, 1, "no.txt"},
      {"a line without label",
       {"train", "-i", "@/none.txt", "-o", out},
       1,
       "none.txt:2: "},
      {"one label only",
       {"train", "-i", "@/one.txt", "-o", out},
       1,
       "one.txt: a classifier needs texts with at least two different labels, "
       "but all 2 texts have the label a"},
      {"no text", {"train", "-i", "@/empty.txt", "-o", out}, 1, "empty.txt"},
      {"no such column",
       {"train", "-i", "@/table.csv", "--form", "csv", "-o", out},
       1,
       "table.csv:1: expected one column \"text\""},
      {"min-n above max-n",
       {"train", "-i", train_, "-o", out, "--min-n", "6"},
       2,
       "--min-n: must be"},
      {"dim without end",
       {"train", "-i", train_, "-o", out, "--dim", "1e9"},
       2,
       "--dim: expected"},
      {"what no file of fastText holds",
       {"train", "-i", train_, "-o", Path("x.bin")},
       2,
       "a wide part, which --parts deep omits"},
      {"n-grams that no file of fastText holds",
       {"train", "-i", train_, "-o", Path("x.bin"), "--parts", "deep"},
       2,
       "--buckets N"},
      {"an option of fastText",
       {"train", "-i", train_, "-o", out, "-wordNgrams", "2"},
       2,
       "in Firth it is --word-ngrams 2"},
      {"a metric that is none",
       {"tune", "-i", train_, "--metric", "f1"},
       2,
       "--metric: expected"},
      {"a budget that is none",
       {"tune", "-i", train_, "--budget", "5k"},
       2,
       "--budget: expected"},
      {"a metric of an unknown label",
       {"tune", "-i", train_, "--metric", "precision@recall=.9:spam"},
       1,
       "spam"},
      {"folds and valid",
       {"tune", "-i", train_, "--valid", test_, "--folds", "3"},
       2,
       "give only one"},
      {"held-out and valid",
       {"train", "-i", train_, "-o", out, "--valid", test_, "--held-out", ".2"},
       2,
       "--held-out cannot be combined with --valid; give only one of them"},
      {"patience without texts to measure on",
       {"train", "-i", train_, "-o", out, "--patience", "2"},
       2,
       "--patience requires --valid FILE"},
      {"a penalty of no wide part",
       {"train", "-i", train_, "-o", out, "--parts", "deep", "--l2", ".1"},
       2,
       "--l2 requires --parts both or wide"},
      {"a penalty beside a tree",
       {"train", "-i", train_, "-o", out, "--loss", "hs", "--l2", ".1"},
       2,
       "--loss auto, softmax or ova"},
      {"a learning rate of no deep part",
       {"train", "-i", train_, "-o", out, "--parts", "wide", "--learning-rate",
        ".1"},
       2,
       "--learning-rate requires --parts both or deep, but --parts is wide"},
      {"vectors of no deep part",
       {"train", "-i", train_, "-o", out, "--parts", "wide", "--dim", "8"},
       2,
       "--dim requires --parts both or deep"},
      {"a contextualizer to tune that is not there",
       {"train", "-i", train_, "-o", out, "--tune-contextualizer"},
       2,
       "--tune-contextualizer requires --contextualizer MODEL\n"},
      {"a contextualizer to tune that is not there, of a search",
       {"tune", "-i", train_, "--tune-contextualizer"},
       2,
       "--tune-contextualizer requires --contextualizer MODEL\n"},
      {"a contextualizer to tune under no deep part",
       {"train", "-i", train_, "-o", out, "--contextualizer", "lm", "--parts",
        "wide", "--tune-contextualizer"},
       2,
       "--tune-contextualizer requires --parts both or deep, but --parts is "
       "wide"},
      {"a tuning rate of nothing",
       {"train", "-i", train_, "-o", out, "--contextualizer", "lm",
        "--tuning-rate", "1e-4"},
       2,
       "--tuning-rate requires --tune-contextualizer"},
      {"a batch of nothing",
       {"train", "-i", train_, "-o", out, "--batch", "4"},
       2,
       "--batch requires --tune-contextualizer"},
      {"standard input twice",
       {"train", "-i", "-", "-o", out, "--valid", "-"},
       2,
       "standard input can be read only once"},
      {"a small file of fastText",
       {"quantize", model_, "-o", "@/x.bin"},
       2,
       "--output: "},
      {"a file of fastText of whatever is found",
       {"tune", "-i", train_, "-o", "@/x.bin"},
       2,
       "cannot hold all kinds of models that are tried"},
      {"a compressed model",
       {"predict", "@/m.safetensors.gz"},
       1,
       "found a file compressed by gzip; unpack it first"},
      {"JSON that is cut off",
       {"train", "-i", "@/cut.jsonl", "--form", "json", "-o", out},
       1,
       "cut.jsonl:2: expected a JSON object"},
      {"a number for a text",
       {"train", "-i", "@/number.jsonl", "--form", "json", "-o", out},
       1,
       "number.jsonl:2: expected a text \"text\""},
      {"a fraction for a label",
       {"train", "-i", "@/fraction.jsonl", "--form", "json", "-o", out},
       1,
       "fraction.jsonl:1: expected a text, a whole number or a list"},
      {"fewer texts than folds",
       {"tune", "-i", "@/two.txt", "--folds", "5"},
       1,
       "folds: needs at least 10 training texts"},
      {"no model", {"predict", "@/no.safetensors"}, 1, "no.safetensors"},
      {"a text for a model", {"predict", train_}, 1, "messages.train.txt"},
      {"text and input",
       {"explain", model_, "--text", "a", "-i", test_},
       2,
       "give either --text or --input"},
      {"input and output are one",
       {"train", "-i", "@/one.txt", "-o", "@/one.txt"},
       2,
       "one.txt"},
  };
  for (const WrongCase& wrong : kCases) {
    SCOPED_TRACE(wrong.name);
    std::vector<std::string> arguments = wrong.arguments;
    for (std::string& argument : arguments) {
      if (absl::StartsWith(argument, "@/")) argument = Path(argument.substr(2));
    }
    const Outcome outcome = Classify(arguments);
    EXPECT_EQ(outcome.code, wrong.code) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(wrong.message));
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_FALSE(std::filesystem::exists(out));
  }
}

TEST_F(ClassifyTest, AnUnknownLabelInATestSetIsOneThatIsNeverFound) {
  ASSERT_EQ(Train().code, 0);
  const std::string file = File(
      "t.txt", "__label__payment You took the money twice .\n__label__new x\n");
  const Outcome outcome = Classify({"eval", model_, "-i", file});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(
      outcome.out,
      AllOf(HasSubstr("50.00%"), HasSubstr("new"), Not(HasSubstr("nan")),
            HasSubstr("1 text with a label that the model does not have")));
  const Outcome twice = Classify({"eval", model_, model_, "-i", file});
  EXPECT_THAT(twice.out, ContainsRegex("texts with unknown labels +1 +1"));
}

TEST_F(ClassifyTest, LabelsKeepTheirPrefixOrNoneOfThemIsKnown) {
  const std::string table =
      File("t.tsv", "cat=good\tfine film\ncat=bad\tpoor film\n");
  const std::string lines =
      File("t.txt", "cat=good fine film\ncat=bad poor film\n");
  ASSERT_EQ(
      Classify({"train", "-i", table, "--form", "tsv", "-o", model_}).code, 0);
  const Outcome kept =
      Classify({"eval", model_, "-i", lines, "--label-prefix", "cat="});
  ASSERT_EQ(kept.code, 0) << kept.err;
  EXPECT_THAT(kept.out, StartsWith("accuracy 100.00%"));
  const Outcome unknown = Classify({"eval", model_, "-i", test_});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.out, IsEmpty());
  EXPECT_THAT(unknown.err,
              AllOf(HasSubstr("\"cat=bad\""), HasSubstr("label-prefix")));
}

}  // namespace
}  // namespace firth
