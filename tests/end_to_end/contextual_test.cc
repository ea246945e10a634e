// firth embed, tag and probe as a user runs them.

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/rng.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/tensors/hdf5_file.h"
#include "lm/language_model_file.h"
#include "lm/tiny_language_model.h"
#include "nlohmann/json.hpp"
#include "support/run_program.h"

namespace firth {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class ContextualTest : public ProgramTest {
 protected:
  std::string TinyLm() const {
    std::string path = Path("lm.safetensors");
    EXPECT_EQ(SaveLanguageModel(*TinyModel(TinyInput::kBoth), path),
              absl::OkStatus());
    return path;
  }

  // Sentences in columns: "red" and "green" mark the word behind them as a
  // span.
  std::string Tagged(const std::string& name, int sentences,
                     uint64_t seed) const {
    const std::vector<std::string> words = {"red", "green", "cat", "dog",
                                            "the"};
    std::string text;
    Rng rng(seed);
    for (int s = 0; s < sentences; ++s) {
      bool marked = false;
      for (uint32_t left = 2 + rng.Below(6); left > 0; --left) {
        const std::string& word = words[rng.Below(5)];
        absl::StrAppend(&text, word, " X ", marked ? "B-S" : "O", "\n");
        marked = word == "red" || word == "green";
      }
      text += "\n";
    }
    return File(name, text);
  }

  std::string Vectors() const {
    return File("v.txt",
                "5 3\nred 1 0 .2\ngreen .9 .1 0\ncat 0 1 0\ndog .1 .8 .3\n"
                "the 0 0 1\n");
  }

  std::vector<std::string> TrainArguments(const std::string& output) const {
    return {"tag",
            "train",
            "--input",
            Tagged("train", 120, 1),
            "--dev",
            Tagged("dev", 30, 2),
            "--vectors",
            Vectors(),
            "--units",
            "8",
            "--epochs",
            "15",
            "--learning-rate",
            "0.02",
            "--threads",
            "1",
            "--dropout",
            "0",
            "--batch",
            "4",
            "--output",
            output};
  }
};

// A network over a window of words does all that a recurrent one does.
TEST_F(ContextualTest, AWindowOfWordsIsALanguageModel) {
  const std::string text = File("text.txt", TwoTopicText(300));
  const std::string model = Path("w.safetensors");
  const auto train = [&](const std::string& output, const char* epochs) {
    return std::vector<std::string>{
        "lm",        "train",       "--input",   text,
        "--output",  output,        "--units",   "16",
        "--network", "window",      "--window",  "4",
        "--batch",   "8",           "--unroll",  "10",
        "--epochs",  epochs,        "--valid",   text,
        "--samples", "10",          "--threads", "1",
        "--quiet",   "--min-count", "1",         "--learning-rate",
        "0.01"};
  };
  ASSERT_EQ(RunFirth(train(model, "2")).code, 0);
  const json measured = json::parse(
      RunFirth({"lm", "perplexity", model, "-i", text, "--json"}).out);
  EXPECT_LT(measured.at("perplexity").get<double>(), 30);
  for (const std::string how : {"--beam", "--temperature"}) {
    const Outcome said = RunFirth({"lm", "generate", model, how, "3", "the"});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.out, StartsWith("the"));
  }
  const Outcome embedded = RunFirth(
      {"embed", model, "--input", text, "--output", Path("e.npy"), "--quiet"});
  EXPECT_EQ(embedded.code, 0) << embedded.err;
  const Outcome info = RunFirth({"info", model, "--json"});
  EXPECT_THAT(info.out, AllOf(HasSubstr("window"), HasSubstr("units")));
  std::vector<std::string> saving = train(model, "2");
  saving.insert(saving.end(), {"--checkpoint", Path("0")});
  ASSERT_EQ(RunFirth(saving).code, 0);
  const Outcome saved = RunFirth({"info", Path("0")});
  EXPECT_EQ(saved.code, 0) << saved.err;
  EXPECT_THAT(saved.out, HasSubstr("window"));
  const Outcome mixed =
      RunFirth({"lm", "train", "--input", text, "--output", model, "--network",
                "window", "--cell", "gru"});
  EXPECT_EQ(mixed.code, 2);
  EXPECT_THAT(mixed.err, HasSubstr("--cell goes with --network recurrent"));

  // A tagger reads its vectors: the word before decides.
  std::vector<std::string> arguments = TrainArguments(Path("t.safetensors"));
  const auto vectors =
      std::find(arguments.begin(), arguments.end(), "--vectors");
  *vectors = "--contextualizer";
  *(vectors + 1) = model;
  const Outcome tagger = RunFirth(arguments);
  EXPECT_EQ(tagger.code, 0) << tagger.err;
}

// And so does one of attention, causal or with words hidden.
TEST_F(ContextualTest, ATransformerIsALanguageModel) {
  const std::string text = File("text.txt", TwoTopicText(300));
  const auto train = [&](const std::string& output,
                         std::vector<std::string> more) {
    std::vector<std::string> arguments = {"lm",        "train",
                                          "--input",   text,
                                          "--output",  output,
                                          "--network", "transformer",
                                          "--units",   "16",
                                          "--heads",   "2",
                                          "--context", "12",
                                          "--batch",   "8",
                                          "--epochs",  "3",
                                          "--quiet",   "--min-count",
                                          "1",         "--samples",
                                          "10",        "--threads",
                                          "1",         "--learning-rate",
                                          "0.01"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunFirth(arguments);
  };
  const std::string causal = Path("causal.safetensors");
  const std::string masked = Path("masked.safetensors");
  ASSERT_EQ(train(causal, {"--positions", "learnt"}).code, 0);
  ASSERT_EQ(train(masked, {"--predict", "masked", "--norm", "after"}).code, 0);
  for (const std::string& model : {causal, masked}) {
    for (const bool stateful : {false, true}) {
      std::vector<std::string> arguments = {"lm", "perplexity", model,
                                            "-i", text,         "--json"};
      if (stateful) arguments.emplace_back("--stateful");
      const json measured = json::parse(RunFirth(arguments).out);
      EXPECT_LT(measured.at("perplexity").get<double>(), 30);
      EXPECT_EQ(measured.contains("masked"), model == masked);
    }
    const Outcome embedded = RunFirth({"embed", model, "--input", text,
                                       "--output", Path("e.npy"), "--quiet"});
    EXPECT_EQ(embedded.code, 0) << embedded.err;
    EXPECT_THAT(RunFirth({"info", model}).out, HasSubstr("heads"));
  }
  const Outcome said =
      RunFirth({"lm", "generate", causal, "--beam", "3", "the"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, StartsWith("the"));
  const Outcome score =
      RunFirth({"lm", "score", causal, "--input", text, "--json"});
  EXPECT_EQ(score.code, 0) << score.err;
  const Outcome filled = RunFirth({"lm", "fill", masked, "the <MASK> is",
                                   "<MASK>", "--top", "2", "--json"});
  ASSERT_EQ(filled.code, 0) << filled.err;
  std::istringstream lines(filled.out);
  size_t gaps = 0;
  for (std::string line; std::getline(lines, line); ++gaps) {
    EXPECT_EQ(json::parse(line).at("words").size(), 2u);
  }
  EXPECT_EQ(gaps, 2u);
  const Outcome no_gap = RunFirth({"lm", "fill", masked, "the"});
  EXPECT_EQ(no_gap.code, 1);
  EXPECT_THAT(no_gap.err, HasSubstr("expected a sentence with <MASK>"));
  EXPECT_THAT(RunFirth({"lm", "fill", causal, "<MASK>"}).err,
              HasSubstr("expected a model that gives masked words"));
  EXPECT_THAT(RunFirth({"lm", "generate", masked}).err,
              HasSubstr("found one of masked words"));
  const Outcome heads =
      RunFirth({"lm", "train", "--input", text, "--output", causal, "--network",
                "transformer", "--units", "16", "--heads", "3"});
  EXPECT_EQ(heads.code, 2);
  EXPECT_THAT(heads.err, HasSubstr("expected a divisor of the units, 16"));

  std::vector<std::string> saving = {"--checkpoint", Path("0")};
  ASSERT_EQ(train(causal, saving).code, 0);
  EXPECT_THAT(RunFirth({"info", Path("0")}).out, HasSubstr("transformer"));
  std::vector<std::string> arguments = TrainArguments(Path("t.safetensors"));
  const auto vectors =
      std::find(arguments.begin(), arguments.end(), "--vectors");
  *vectors = "--contextualizer";
  *(vectors + 1) = masked;
  const Outcome tagger = RunFirth(arguments);
  EXPECT_EQ(tagger.code, 0) << tagger.err;
}

// The last checkpoint is lost; --resume needs no other option.
TEST_F(ContextualTest, ATaggersTrainingGoesOn) {
  const std::string model = Path("t.safetensors");
  std::vector<std::string> arguments = TrainArguments(model);
  arguments.insert(arguments.end(), {"--checkpoint", Path("saved"),
                                     "--checkpoint-every", "10%", "--quiet"});
  ASSERT_EQ(RunFirth(arguments).code, 0);
  const std::string whole = ReadWholeFile(model);
  const auto info = [this] {
    const Outcome outcome = RunFirth({"info", Path("saved"), "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out);
  };
  const json last = info();
  EXPECT_EQ(last["kind"], "checkpoint of a tagger");
  EXPECT_EQ(last["options"]["units"], 8);
  std::filesystem::remove(model);
  std::filesystem::remove(last["newest"].get<std::string>());
  EXPECT_NE(info()["steps"], last["steps"]);
  const Outcome other = RunFirth({"train", "--resume", Path("saved")});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("expected checkpoints of \"firth train\", "
                                   "found those of \"firth tag train\""));
  const Outcome resumed = RunFirth({"tag", "train", "--resume", Path("saved")});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(ReadWholeFile(model) == whole);
}

TEST_F(ContextualTest, TrainsAppliesAndEvaluatesATagger) {
  const std::string model = Path("t.safetensors");
  std::vector<std::string> arguments = TrainArguments(model);
  arguments.insert(arguments.end(), {"--report", Path("r.json")});
  const Outcome trained = RunFirth(arguments);
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.err, AllOf(HasSubstr("best so far"),
                                 HasSubstr("100.0% with static vectors")));
  const json report = json::parse(ReadWholeFile(Path("r.json")));
  EXPECT_EQ(report["tags"], 2);
  EXPECT_GT(report["best_epoch"], 0);
  EXPECT_EQ(report["options"]["units"], 8);
  EXPECT_FALSE(report["options"].contains("contextualizer"));  // not given

  const std::string test = Tagged("test", 40, 3);
  const Outcome scored = RunFirth(
      {"tag", "eval", model, "--vectors", Vectors(), "-i", test, "--json"});
  ASSERT_EQ(scored.code, 0) << scored.err;
  const json scores = json::parse(scored.out);
  EXPECT_GT(scores["spans"]["f1"], 0.97);

  // Words that no vector is known of are tagged, too; lines stay lines.
  const Outcome text = RunFirth({"tag", "apply", model, "--vectors", Vectors()},
                                {.input = "red cat\n\nthe new dog\n"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, StartsWith("red/O cat/B-S\n\nthe/O new/"));
  EXPECT_EQ(std::count(text.out.begin(), text.out.end(), '\n'), 3);

  // The same tags with their probabilities, and what they mark.
  const Outcome objects =
      RunFirth({"tag", "apply", model, "--vectors", Vectors(), "--json"},
               {.input = "red cat\n\nthe dog\n"});
  ASSERT_EQ(objects.code, 0) << objects.err;
  const std::vector<std::string> lines = absl::StrSplit(objects.out, '\n');
  ASSERT_EQ(lines.size(), 4u);
  const json marked = json::parse(lines[0]);
  EXPECT_EQ(marked["tokens"], json({"red", "cat"}));
  EXPECT_EQ(marked["tags"], json({"O", "B-S"}));
  EXPECT_EQ(marked["spans"], json({{{"begin", 1}, {"end", 2}, {"type", "S"}}}));
  ASSERT_EQ(marked["probabilities"].size(), 2u);
  for (const double p : marked["probabilities"]) {
    EXPECT_GT(p, 0.5);  // of two tags, the likelier
    EXPECT_LE(p, 1);
  }
  EXPECT_EQ(json::parse(lines[1])["tokens"], json::array());
  EXPECT_EQ(json::parse(lines[2])["spans"], json::array());

  // A column more, from which the same scores come.
  const Outcome columns =
      RunFirth({"tag", "apply", model, "--vectors", Vectors(), "--form",
                "columns", "-i", test});
  ASSERT_EQ(columns.code, 0);
  const Outcome again =
      RunFirth({"tag", "eval", "-i", File("tagged", columns.out),
                "--tag-column", "3", "--predicted-column", "4", "--json"});
  EXPECT_EQ(again.out, scored.out);
}

TEST_F(ContextualTest, APackedTaggerNeedsNoOtherFile) {
  const std::string model = Path("t.safetensors");
  std::vector<std::string> arguments = TrainArguments(model);
  arguments.insert(arguments.end(), {"--contextualizer", TinyLm(), "--case-dim",
                                     "2", "--char-cnn"});
  ASSERT_EQ(RunFirth(arguments).code, 0);
  const std::string whole = Path("whole.safetensors");
  const Outcome packed =
      RunFirth({"tag", "pack", model, "--vectors", Vectors(),
                "--contextualizer", TinyLm(), "--output", whole});
  ASSERT_EQ(packed.code, 0) << packed.err;
  EXPECT_THAT(packed.err, HasSubstr("  wrote    " + whole));
  const ProgramOptions text{.input = "red cat\n\nthe new dog\n"};
  const Outcome with = RunFirth({"tag", "apply", model, "--vectors", Vectors(),
                                 "--contextualizer", TinyLm(), "--json"},
                                text);
  ASSERT_EQ(with.code, 0) << with.err;
  const Outcome alone = RunFirth({"tag", "apply", whole, "--json"}, text);
  EXPECT_EQ(alone.code, 0) << alone.err;
  EXPECT_EQ(alone.out, with.out);
  const json info = json::parse(RunFirth({"info", whole, "--json"}).out);
  EXPECT_EQ(info["kind"], "tagger");
  EXPECT_EQ(info["holds_inputs"], true);
  EXPECT_EQ(info["options"]["case_dim"], 2);
}

TEST_F(ContextualTest, ATunedContextualizerTravelsWithItsTagger) {
  const std::string model = Path("t.safetensors");
  const std::string lm = TinyLm();
  std::vector<std::string> arguments = TrainArguments(model);
  arguments.insert(
      arguments.end(),
      {"--contextualizer", lm, "--tune-contextualizer", "--tuning-rate", "0.01",
       "--checkpoint", Path("saved"), "--checkpoint-every", "10%"});
  ASSERT_EQ(RunFirth(arguments).code, 0);
  const std::string whole = ReadWholeFile(model);
  std::filesystem::remove(lm);
  const Outcome alone =
      RunFirth({"tag", "apply", model}, {.input = "red cat\n"});
  EXPECT_EQ(alone.code, 0) << alone.err;
  EXPECT_EQ(alone.out, "red/O cat/B-S\n");
  const json info = json::parse(RunFirth({"info", model, "--json"}).out);
  EXPECT_EQ(info["holds_inputs"], true);
  EXPECT_EQ(info["tuned_contextualizer"], true);
  // A training that goes on.
  TinyLm();
  const json last =
      json::parse(RunFirth({"info", Path("saved"), "--json"}).out);
  std::filesystem::remove(last["newest"].get<std::string>());
  std::filesystem::remove(model);
  const Outcome resumed = RunFirth({"tag", "train", "--resume", Path("saved")});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(ReadWholeFile(model) == whole);
}

TEST_F(ContextualTest, ATunedContextualizerTravelsWithItsClassifier) {
  const std::string texts =
      File("texts.txt",
           "__label__x red cat\n__label__y the dog\n__label__x red red cat\n"
           "__label__y dog the dog\n__label__x cat\n__label__y the\n");
  const std::string model = Path("c.safetensors");
  const std::string lm = TinyLm();
  const std::vector<std::string> train = {"classify",
                                          "train",
                                          "--input",
                                          texts,
                                          "--valid",
                                          texts,
                                          "--contextualizer",
                                          lm,
                                          "--tune-contextualizer",
                                          "--tuning-rate",
                                          "0.01",
                                          "--batch",
                                          "2",
                                          "--epochs",
                                          "4",
                                          "--patience",
                                          "0",
                                          "--output",
                                          model,
                                          "--checkpoint",
                                          Path("saved"),
                                          "--checkpoint-every",
                                          "10%"};
  const Outcome trained = RunFirth(train);
  ASSERT_EQ(trained.code, 0) << trained.err;
  const std::string whole = ReadWholeFile(model);
  std::filesystem::remove(lm);
  const Outcome alone =
      RunFirth({"classify", "predict", model}, {.input = "red cat\nthe dog\n"});
  EXPECT_EQ(alone.code, 0) << alone.err;
  EXPECT_THAT(alone.out, AllOf(StartsWith("x\t"), HasSubstr("\ny\t")));
  const Outcome measured = RunFirth({"classify", "eval", model, "-i", texts});
  EXPECT_EQ(measured.code, 0) << measured.err;
  const Outcome explained =
      RunFirth({"classify", "explain", model, "--text", "red cat"});
  EXPECT_EQ(explained.code, 0) << explained.err;
  const json info = json::parse(RunFirth({"info", model, "--json"}).out);
  EXPECT_EQ(info["tuned_contextualizer"], true);
  EXPECT_EQ(info["options"]["tuning-rate"], 0.01);
  // A training that goes on.
  TinyLm();
  const json last =
      json::parse(RunFirth({"info", Path("saved"), "--json"}).out);
  std::filesystem::remove(last["newest"].get<std::string>());
  std::filesystem::remove(model);
  const Outcome resumed =
      RunFirth({"classify", "train", "--resume", Path("saved")});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(ReadWholeFile(model) == whole);
  const Outcome both =
      RunFirth({"classify", "predict", model, "--contextualizer", lm},
               {.input = "red cat\n"});
  EXPECT_EQ(both.code, 1);
  EXPECT_THAT(both.err, HasSubstr("expected no --contextualizer"));
}

TEST_F(ContextualTest, ATaggerAnswersAPipeSentenceBySentence) {
  const std::string model = Path("t.safetensors");
  ASSERT_EQ(RunFirth(TrainArguments(model)).code, 0);
  const std::string pipe = Path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  RunningFirth tagging({"tag", "apply", model, "--vectors", Vectors()},
                       {.input_path = pipe});
  const std::string first = "the/O red/O cat/B-S\n";
  {
    const PipeWriter text(pipe);
    text.Write("the red cat\n");
    ASSERT_TRUE(Eventually([&] { return tagging.OutputSoFar() == first; }));
    text.Write("the dog\n");
  }
  EXPECT_EQ(tagging.WaitWithPatience().out, first + "the/O dog/O\n");
}

TEST_F(ContextualTest, AnInterruptKeepsTheBestSoFar) {
  const std::string model = Path("t.safetensors");
  std::vector<std::string> arguments = TrainArguments(model);
  arguments[11] = "10000";  // epochs
  arguments.insert(arguments.end(), {"--patience", "0"});
  RunningFirth running(arguments);
  ASSERT_TRUE(running.WaitForError("best so far"));
  running.Signal(SIGINT);
  const Outcome outcome = running.WaitWithPatience();
  EXPECT_EQ(outcome.code, 130);
  EXPECT_THAT(outcome.err, HasSubstr("interrupted; writing the weights of"));
  EXPECT_EQ(RunFirth({"tag", "apply", model, "--vectors", Vectors()},
                     {.input = "red"})
                .code,
            0);
}

struct FailureCase {
  const char* name;
  std::vector<std::string> arguments;
  int code;
  std::string message;
};

TEST_F(ContextualTest, WhatIsWrongIsSaid) {
  const std::string lm = TinyLm();
  const std::string columns = File("bad", "a B\nb\n");
  const std::string slashes = File("slashes", "a/B\nb c/D\n");
  const std::string out = Path("o.safetensors");
  const std::vector<FailureCase> cases = {
      {"a column lacks",
       {"tag", "train", "-i", columns, "--vectors", Vectors(), "-o", out},
       1,
       columns + ":2: expected at least 2 columns, found 1 in \"b\""},
      {"a tag lacks",
       {"tag", "train", "-i", slashes, "--form", "slashes", "--vectors",
        Vectors(), "-o", out},
       1,
       slashes + ":2: expected word/tag, found \"b\""},
      {"no features",
       {"tag", "train", "-i", columns, "-o", out},
       2,
       "missing --vectors FILE or --contextualizer MODEL, or --char-cnn"},
      {"nothing to tune",
       {"tag", "train", "-i", columns, "--vectors", Vectors(),
        "--tune-contextualizer", "-o", out},
       2,
       "--tune-contextualizer goes with --contextualizer"},
      {"a rate of nothing",
       {"tag", "train", "-i", columns, "--contextualizer", lm, "--tuning-rate",
        "1e-4", "-o", out},
       2,
       "--tuning-rate goes with --tune-contextualizer"},
      {"filters of no network",
       {"tag", "train", "-i", columns, "--vectors", Vectors(), "-o", out,
        "--char-filters", "3x10"},
       2,
       "--char-filters goes with --char-cnn"},
      {"filters wider than words",
       {"tag", "train", "-i", columns, "-o", out, "--char-cnn",
        "--char-filters", "51x10"},
       2,
       "char-filters: width"},
      {"a mix of nothing",
       {"tag", "train", "-i", columns, "--vectors", "v", "--mix-output", "-o",
        out},
       2,
       "--mix-output goes with --contextualizer"},
      {"a language model is no tagger",
       {"tag", "apply", lm},
       1,
       "expected a tagger"},
      {"vectors are no language model", {"embed", Vectors()}, 1, "v.txt"},
      {"a folder", {"embed", Path("")}, 1, "firth: "},
      {"neither model nor column",
       {"tag", "eval", "-i", columns},
       2,
       "expected either MODEL or --predicted-column"},
      {"an empty file",
       {"tag", "eval", "-i", File("empty", ""), "--predicted-column", "2"},
       1,
       "expected sentences, found no token"},
      {"a layer too many",
       {"embed", lm, "--layers", "3"},
       1,
       "expected all, average, mix or a layer from 0 to 2, found \"3\""},
      {"a mix of nothing known",
       {"embed", lm, "--layers", "mix"},
       2,
       "--layers mix goes with one of --mix-of and --mix-weights"},
      {"a mix that is not asked for",
       {"embed", lm, "--mix-weights", "1,2,3"},
       2,
       "--mix-weights goes with --layers mix, found --layers all"},
      {"a factor of no mix",
       {"embed", lm, "--gamma", "2"},
       2,
       "--gamma goes with --mix-weights"},
      {"columns of what has none",
       {"tag", "eval", "-i", columns, "--form", "slashes", "--tag-column", "2"},
       2,
       "--tag-column goes with --form columns, found --form slashes"},
      {"shares too few",
       {"embed", lm, "--layers", "mix", "--mix-weights", "1,2"},
       1,
       "--mix-weights: expected 3 numbers, not all 0, found \"1,2\""},
      {"16 bits of text",
       {"embed", lm, "--float16"},
       2,
       "--float16 goes with --output"},
      {"no file for HDF5",
       {"embed", lm, "--format", "hdf5"},
       2,
       "missing --output FILE"},
      {"a folder as output",
       {"embed", lm, "-o", Path("") + "/.hdf5/x.hdf5"},
       1,
       "x.hdf5"},
      {"a mix nowhere",
       {"tag", "train", "-i", columns, "--contextualizer", lm, "--mix-input",
        "off", "-o", out},
       2,
       "--mix-input: expected a mix of layers at the input or the output"},
      {"nothing to probe",
       {"probe", "--vectors", "v"},
       2,
       "expected --train FILE and --test FILE, or --senses FILE"},
      {"senses of another form",
       {"probe", "--vectors", Vectors(), "--senses", columns},
       1,
       columns + ":1: expected a sense, the position"},
  };
  for (const FailureCase& test : cases) {
    SCOPED_TRACE(test.name);
    const Outcome outcome = RunFirth(test.arguments);
    EXPECT_EQ(outcome.code, test.code) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(test.message));
    EXPECT_THAT(outcome.out, IsEmpty());
  }
  EXPECT_FALSE(std::filesystem::exists(out));
}

// Layer 0 in commands that know nothing of language models.
TEST_F(ContextualTest, AModelIsAFileOfWordVectors) {
  const std::string lm = TinyLm();
  const Outcome near = RunFirth({"nn", lm, "cat", "--top", "3"});
  EXPECT_EQ(near.code, 0) << near.err;
  for (const char* word : {"the", "sat", "on"}) {
    EXPECT_THAT(near.out, HasSubstr(word));
  }
  EXPECT_THAT(near.out, testing::Not(HasSubstr("<UNK>")));
  const std::string words = Path("words.txt");
  const Outcome converted = RunFirth({"convert", lm, words});
  EXPECT_EQ(converted.code, 0) << converted.err;
  EXPECT_EQ(RunFirth({"nn", words, "cat", "--top", "3"}).out, near.out);
  const Outcome info = RunFirth({"info", lm, "--json"});
  EXPECT_EQ(json::parse(info.out)["word_dim"], 6);
  const std::string lost = File("lost", ReadWholeFile(lm).substr(0, 3000));
  EXPECT_EQ(RunFirth({"nn", lost, "cat"}).code, 1);
  EXPECT_EQ(
      RunFirth({"convert", words, Path("x"), "--to", "language model"}).code,
      2);
}

TEST_F(ContextualTest, WordsAreDistilledFromAModelAndFromArrays) {
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

TEST_F(ContextualTest, WhatCannotBeDistilledIsSaid) {
  const std::string lm = TinyLm();
  const std::string text = File("text", "the cat sat\n");
  const std::string out = Path("w.safetensors");
  const std::string tokens = Path("t.npy");
  ASSERT_EQ(RunFirth({"embed", lm, "-o", tokens}, {.input = "the cat\n"}).code,
            0);
  const std::vector<FailureCase> cases = {
      {"no text", {"distill", lm, "-o", out}, 2, "missing --text FILE"},
      {"no output", {"distill", lm, "--text", text}, 2, "missing --output"},
      {"all layers",
       {"distill", lm, "--text", text, "-o", out, "--layers", "all"},
       1,
       "expected average, mix or a layer from 0 to 2, found \"all\""},
      {"rare words",
       {"distill", lm, "--text", text, "-o", out},
       1,
       "expected words that occur 5 times (min-count), found none among the 3"},
      {"noise of no method",
       {"distill", lm, "--text", text, "-o", out, "--negative", "3"},
       2,
       "--negative goes with --method cbow"},
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

TEST_F(ContextualTest, SensesOfAllWordsAreProbed) {
  const std::string known =
      File("known",
           "<contextfile>\n<s snum=1>\n<wf cmd=ignore>the</wf>\n"
           "<wf cmd=done lemma=cat wnsn=1 lexsn=1:05:00::>cat</wf>\n</s>\n"
           "<s snum=2><wf lemma=cat wnsn=2 lexsn=1:18:01::>cat</wf></s>\n");
  const std::string asked =
      File("asked.data.xml",
           "<?xml version=\"1.0\" ?>\n<corpus><text><sentence id=\"s\">\n"
           "<wf lemma=\"the\" pos=\"DET\">the</wf>\n"
           "<instance id=\"s.0\" lemma=\"cat\" pos=\"NOUN\">cat</instance>\n"
           "<instance id=\"s.1\" lemma=\"dog\" pos=\"NOUN\">dog</instance>\n"
           "</sentence></text></corpus>\n");
  File("asked.gold.key.txt", "s.0 cat%1:05:00::\ns.1 dog%1:05:00::\n");
  const std::vector<std::string> probe = {
      "probe", "--contextualizer", TinyLm(), "--known",
      known,   "--senses",         asked,    "--json"};
  const Outcome outcome = RunFirth(probe);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["known"], 2);
  EXPECT_EQ(report["texts"][0]["asked"], 2);
  const json first = report["texts"][0]["scores"][0];
  EXPECT_EQ(first["features"], "most frequent sense");
  EXPECT_EQ(first["precision"], 1);
  EXPECT_EQ(first["recall"], 0.5);
  EXPECT_EQ(report["texts"][0]["scores"].size(), 5u);
  std::vector<std::string> with_first = probe;
  with_first.insert(
      with_first.end(),
      {"--first-senses", File("index.sense", "dog%1:05:00:: 02084071 1 42\n")});
  EXPECT_EQ(
      json::parse(RunFirth(with_first).out)["texts"][0]["scores"][0]["f1"], 1);
  File("asked.gold.key.txt", "s.0 cat%1:05:00::\n");
  const Outcome lacking = RunFirth(probe);
  EXPECT_EQ(lacking.code, 1);
  EXPECT_THAT(
      lacking.err,
      AllOf(HasSubstr("asked.data.xml:5: expected an instance whose id"),
            HasSubstr("asked.gold.key.txt")));
}

TEST_F(ContextualTest, EmbedsInEveryForm) {
  const std::string lm = TinyLm();
  const ProgramOptions text{.input = "the cat sat\n\nnew \xff words\n"};
  const Outcome shown = RunFirth({"embed", lm, "--layers", "1"}, text);
  ASSERT_EQ(shown.code, 0) << shown.err;
  const std::vector<std::string> lines = absl::StrSplit(shown.out, '\n');
  ASSERT_EQ(lines.size(), 6u + 3u + 1u);  // tokens, ends of sentences, the end
  EXPECT_THAT(lines[0], StartsWith("the "));
  EXPECT_EQ(std::vector<std::string>(absl::StrSplit(lines[0], ' ')).size(),
            1u + 12u);
  for (const char* name : {"e.hdf5", "e.npy", "e.safetensors"}) {
    const Outcome written = RunFirth({"embed", lm, "-o", Path(name)}, text);
    EXPECT_EQ(written.code, 0) << written.err;
    EXPECT_THAT(written.err, HasSubstr("6 tokens in 3 sentences"));
  }
  const auto hdf5 = Hdf5File::Open(Path("e.hdf5"));
  ASSERT_TRUE(hdf5.ok());
  EXPECT_EQ(*hdf5->Shape("0"), (std::vector<uint64_t>{3, 3, 12}));
  EXPECT_EQ(*hdf5->Shape("1"), (std::vector<uint64_t>{3, 0, 12}));
  // A mix with all in one layer is that layer.
  EXPECT_EQ(
      RunFirth({"embed", lm, "--layers", "mix", "--mix-weights", "0,5,0"}, text)
          .out,
      shown.out);
}

TEST_F(ContextualTest, EmbedsASentenceInOneVector) {
  const std::string lm = TinyLm();
  const ProgramOptions text{.input = "the cat sat\n\nwords\n"};
  const auto pooled = [&](const char* how) {
    const Outcome outcome =
        RunFirth({"embed", lm, "--layers", "1", "--pool", how}, text);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::vector<std::string> lines = absl::StrSplit(outcome.out, '\n');
    EXPECT_EQ(lines.size(), 4u);
    return lines;
  };
  const std::vector<std::string> tokens =
      absl::StrSplit(RunFirth({"embed", lm, "--layers", "1"}, text).out, '\n');
  EXPECT_EQ("the " + pooled("first")[0], tokens[0]);
  EXPECT_EQ("sat " + pooled("last")[0], tokens[2]);
  EXPECT_EQ("words " + pooled("mean")[2], tokens[5]);
  EXPECT_EQ(pooled("max")[1], "0 0 0 0 0 0 0 0 0 0 0 0");
  const Outcome file = RunFirth(
      {"embed", lm, "--pool", "mean", "--float16", "-o", Path("e.safetensors")},
      text);
  ASSERT_EQ(file.code, 0) << file.err;
  const json info =
      json::parse(RunFirth({"info", Path("e.safetensors"), "--json"}).out);
  EXPECT_EQ(info["tokens"], 3);
  EXPECT_EQ(info["sentences"], 3);
}

// 3 layers of 12 values for 2 bytes of text.
TEST_F(ContextualTest, AnOutputMuchLargerThanItsTextIsAWarning) {
  const std::string lm = TinyLm();
  const auto said = [&](const std::vector<std::string>& more,
                        const std::string& text) {
    std::vector<std::string> arguments = {"embed", lm, "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = RunFirth(arguments, {.input = text});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.err;
  };
  EXPECT_EQ(said({}, "a a a\n"),
            "firth: warning: the vectors will take about 234 times as many "
            "bytes as the text, 468 bytes a token; --pool, --layers average "
            "make them smaller\n");
  EXPECT_THAT(said({"--layers", "1"}, "a a a\n"), IsEmpty());
  EXPECT_THAT(said({"-o", Path("e.npy")}, "a a a\n"), IsEmpty());  // 72 times
  EXPECT_THAT(said({"--pool", "mean"}, "a a a\n"), IsEmpty());
}

TEST_F(ContextualTest, AFullDiskIsAMessageInEveryForm) {
  const std::string lm = TinyLm();
  std::string text;
  for (int i = 0; i < 500; ++i) text += "the cat sat\n";
  for (const char* name : {"e.hdf5", "e.npy", "e.safetensors"}) {
    SCOPED_TRACE(name);
    const Outcome full = RunFirth({"embed", lm, "-o", Path(name)},
                                  {.input = text, .file_size_limit = 20000});
    EXPECT_EQ(full.code, 1);
    EXPECT_EQ(full.err, absl::StrCat("firth: ", Path(name),
                                     ": cannot write: File too large\n"));
    EXPECT_FALSE(std::filesystem::exists(Path(name)));
  }
}

// A sentence of 10,000 tokens, words of 1,000 bytes: in bounded memory.
TEST_F(ContextualTest, EmbedsLongSentencesAndWords) {
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "the ";
  text += "\n" + std::string(1000, 'x') + "\n";
  const Outcome outcome =
      RunFirth({"embed", TinyLm(), "--layers", "0", "-o", Path("e.npy")},
               {.input = text});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("10,001 tokens in 2 sentences"));
}

TEST_F(ContextualTest, ProbesPrintATable) {
  const Outcome outcome = RunFirth(
      {"probe", "--vectors", Vectors(), "--contextualizer", TinyLm(), "--train",
       Tagged("train", 60, 1), "--test", Tagged("test", 20, 2)});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* row : {"most frequent tag", "static ", "layer 0", "layer 2",
                          "mix", "static + layer 1"}) {
    EXPECT_THAT(outcome.out, HasSubstr(row));
  }
}

// The published embeddings of the original ELMo: top layer, both directions, of
// three texts through which state is carried.
TEST_F(ContextualTest, EmbedsAsTheOriginalElmo) {
  const char* const data = std::getenv("FIRTH_DATA");
  if (data == nullptr) GTEST_SKIP() << "FIRTH_DATA is not set";
  const std::string from = absl::StrCat(data, "/elmo/model/");
  const std::string model = Path("elmo.safetensors");
  ASSERT_EQ(RunFirth({"lm", "import", "--options", from + "options.json",
                      "--weights", from + "lm_weights.hdf5", "--output", model})
                .code,
            0);
  const json texts =
      json::parse(ReadWholeFile(from + "lm_embeddings_sentences.json"));
  double worst = 0;
  uint64_t values = 0;
  for (size_t k = 0; k < texts.size(); ++k) {
    std::string text;
    for (const auto& line : texts[k]) text += line.get<std::string>() + "\n";
    const std::string path = Path("e.hdf5");
    ASSERT_EQ(
        RunFirth({"embed", model, "--stateful", "-o", path}, {.input = text})
            .code,
        0);
    const auto found = Hdf5File::Open(path);
    const auto expected =
        Hdf5File::Open(absl::StrCat(from, "lm_embeddings_", k, ".hdf5"));
    ASSERT_TRUE(found.ok() && expected.ok());
    for (size_t i = 0; i < texts[k].size(); ++i) {
      const uint64_t tokens = (*expected->Shape(absl::StrCat(i)))[1];
      std::vector<float> theirs(2 * tokens * 16), ours(3 * tokens * 32);
      ASSERT_EQ(expected->Read(absl::StrCat(i), {2, tokens, 16}, theirs.data()),
                absl::OkStatus());
      ASSERT_EQ(found->Read(absl::StrCat(i), {3, tokens, 32}, ours.data()),
                absl::OkStatus());
      for (size_t at = 0; at < theirs.size(); ++at, ++values) {
        const size_t direction = at / (tokens * 16);
        const size_t token = at / 16 % tokens;
        const float our =
            ours[(2 * tokens + token) * 32 + direction * 16 + at % 16];
        worst =
            std::max(worst, std::abs(static_cast<double>(our) - theirs[at]));
      }
    }
  }
  EXPECT_EQ(values, 23808u);
  EXPECT_LE(worst, 2e-6);
}

}  // namespace
}  // namespace firth
