// firth tag as a user runs it.

#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
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
using testing::IsEmpty;
using testing::StartsWith;

using TagTest = ContextualProgramTest;

// The last checkpoint is lost; --resume needs no other option.
TEST_F(TagTest, ATaggersTrainingGoesOn) {
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
  EXPECT_THAT(other.err, HasSubstr("these checkpoints were written by \"firth "
                                   "tag train\", not by \"firth train\""));
  const Outcome resumed = RunFirth({"tag", "train", "--resume", Path("saved")});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(ReadWholeFile(model) == whole);
}

TEST_F(TagTest, TrainsAppliesAndEvaluatesATagger) {
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

  const Outcome other = RunFirth({"tag", "eval", model, "--vectors", Vectors(),
                                  "-i", File("pos", "red ADJ\ncat NOUN\n")});
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.err, HasSubstr("is a tag of the model: the text has "
                                   "\"ADJ\", the model \""));
  EXPECT_THAT(other.out, IsEmpty());

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
  EXPECT_EQ(marked["words"], json({"red", "cat"}));
  EXPECT_EQ(marked["tags"], json({"O", "B-S"}));
  EXPECT_EQ(marked["spans"], json({{{"begin", 1}, {"end", 2}, {"type", "S"}}}));
  ASSERT_EQ(marked["probabilities"].size(), 2u);
  for (const double p : marked["probabilities"]) {
    EXPECT_GT(p, 0.5);  // of two tags, the likelier
    EXPECT_LE(p, 1);
  }
  EXPECT_EQ(json::parse(lines[1])["words"], json::array());
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

TEST_F(TagTest, ConlluIsReadAndComesOutWhole) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    text +=
        "# text = the cats\n1-2\tthe cats\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "1\tthe\t_\tDET\t_\t_\t_\t_\t_\t_\n"
        "2\tcats\t_\tNOUN\t_\t_\t_\t_\t_\t_\n"
        "2.1\t_\t_\t_\t_\t_\t_\t_\t_\t_\n\n";
  }
  const std::string file = File("train.conllu", text);
  const std::string model = Path("c.safetensors");
  const Outcome trained =
      RunFirth({"tag", "train", "-i", file, "-o", model, "--char-cnn",
                "--units", "8", "--epochs", "20", "--learning-rate", "0.02"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(
      trained.err,
      AllOf(HasSubstr("skipped  40 comments, 40 multi-word tokens "
                      "and 40 empty nodes of CoNLL-U"),
            HasSubstr("80 tokens in 40 sentences"), HasSubstr("2 tags")));
  const Outcome scored =
      RunFirth({"tag", "eval", model, "-i", file, "--form", "conllu"});
  EXPECT_THAT(scored.out, StartsWith("accuracy 100.00%  (80 of 80 tokens)"));
  EXPECT_THAT(scored.err, HasSubstr("40 multi-word tokens"));
  const Outcome tagged = RunFirth(
      {"tag", "apply", model, "--form", "conllu"},
      {.input = absl::StrReplaceAll(text, {{"DET", "_"}, {"NOUN", "_"}})});
  ASSERT_EQ(tagged.code, 0) << tagged.err;
  EXPECT_EQ(tagged.out, text);
  const Outcome other =
      RunFirth({"tag", "apply", model, "--form", "conllu", "--tag-column", "5"},
               {.input = "1\tthe\t_\tX\t_\t_\t_\t_\t_\t_\n"});
  EXPECT_EQ(other.out, "1\tthe\t_\tX\tDET\t_\t_\t_\t_\t_\n\n");

  // What stands behind the last sentence, or without any.
  const std::string rest = "# end\n\n1-2\tthe cats\t_\t_\t_\t_\t_\t_\t_\t_\n\n";
  const std::vector<std::string> command = {"tag", "apply", model, "--form",
                                            "conllu"};
  const Outcome comments = RunFirth(command, {.input = rest});
  ASSERT_EQ(comments.code, 0) << comments.err;
  EXPECT_EQ(comments.out, rest);
  EXPECT_EQ(RunFirth(command, {.input = text + rest}).out, text + rest);
  const Outcome objects =
      RunFirth({"tag", "apply", model, "--form", "conllu", "--json"},
               {.input = text + rest});
  EXPECT_EQ(std::count(objects.out.begin(), objects.out.end(), '\n'), 40);
}

TEST_F(TagTest, APackedTaggerNeedsNoOtherFile) {
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

TEST_F(TagTest, ATunedContextualizerTravelsWithItsTagger) {
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

TEST_F(TagTest, ATunedContextualizerTravelsWithItsClassifier) {
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
  EXPECT_THAT(both.err, HasSubstr("omit --contextualizer"));
}

TEST_F(TagTest, ATaggerAnswersAPipeSentenceBySentence) {
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
  EXPECT_EQ(tagging.Wait().out, first + "the/O dog/O\n");
}

TEST_F(TagTest, AnInterruptKeepsTheBestSoFar) {
  const std::string model = Path("t.safetensors");
  std::vector<std::string> arguments = TrainArguments(model);
  arguments[11] = "10000";  // epochs
  arguments.insert(arguments.end(), {"--patience", "0"});
  RunningFirth running(arguments);
  ASSERT_TRUE(running.WaitForError("best so far"));
  running.Signal(SIGINT);
  const Outcome outcome = running.Wait();
  EXPECT_EQ(outcome.code, 130);
  EXPECT_THAT(outcome.err, HasSubstr("interrupted; writing the weights of"));
  EXPECT_EQ(RunFirth({"tag", "apply", model, "--vectors", Vectors()},
                     {.input = "red"})
                .code,
            0);
}

// Columns in which a noun is marked as a span. It ends in "er", and comes after
// a word that does not.
std::string Nouns(int sentences, uint64_t seed) {
  std::string text;
  Rng rng(seed);
  for (int s = 0; s < sentences; ++s) {
    for (uint32_t left = 1 + rng.Below(4); left > 0; --left) {
      absl::StrAppend(&text, rng.Below(2) == 0 ? "red" : "the", " O\n",
                      std::string(1, static_cast<char>('a' + rng.Below(26))),
                      rng.Below(26), "er B-S\n");
    }
    text += "\n";
  }
  return text;
}

TEST_F(TagTest, AHiddenMarkovModelNeedsOnlyTaggedText) {
  const std::string train = File("nouns", Nouns(60, 1));
  const std::string test = File("others", Nouns(60, 2));
  const std::string model = Path("hmm.safetensors");
  const std::vector<std::string> arguments = {"tag", "train", "--model", "hmm",
                                              "-i",  train,   "-o",      model};
  const Outcome trained = RunFirth(arguments);
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("hmm.safetensors: 2 tags, "));
  const Outcome scored = RunFirth({"tag", "eval", model, "-i", test, "--json"});
  ASSERT_EQ(scored.code, 0) << scored.err;
  const json scores = json::parse(scored.out);
  EXPECT_EQ(scores["spans"]["f1"], 1);
  // Unknown words have tags too, and empty lines stay.
  const Outcome tagged = RunFirth({"tag", "apply", model},
                                  {.input = "red tuner\n\nthe der the\n"});
  EXPECT_EQ(tagged.out, "red/O tuner/B-S\n\nthe/O der/B-S the/O\n");
  // The hidden Markov model is a baseline for a network.
  const std::string network = Path("t.safetensors");
  ASSERT_EQ(RunFirth(TrainArguments(network)).code, 0);
  std::vector<std::string> eval = {"tag",       "eval",       network,
                                   "--vectors", Vectors(),    "-i",
                                   test,        "--baseline", train};
  EXPECT_THAT(RunFirth(eval).out,
              AllOf(StartsWith("accuracy "),
                    HasSubstr("\n\nhidden Markov model\naccuracy 100.00%")));
  eval.emplace_back("--json");
  EXPECT_EQ(json::parse(RunFirth(eval).out)["baseline"], scores);
}

TEST_F(TagTest, AHiddenMarkovModelAlsoReadsTextWithoutTags) {
  const std::string model = Path("hmm.safetensors");
  const Outcome trained = RunFirth(
      {"tag", "train", "--model", "hmm", "-i", File("nouns", Nouns(5, 1)),
       "--dev", File("dev", Nouns(20, 2)), "--unlabeled",
       File("plain", "the tuner the\n\nred fox the der\n"), "--iterations", "3",
       "-o", model, "--report", Path("r.json")});
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.err, AllOf(HasSubstr("  iteration 0  log likelihood -"),
                                 HasSubstr("  iteration 3  log likelihood -"),
                                 HasSubstr(", from iteration 0\n")));
  const json report = json::parse(ReadWholeFile(Path("r.json")));
  EXPECT_EQ(report["options"]["model"], "hmm");
  EXPECT_FALSE(report["options"].contains("units"));
  EXPECT_EQ(report["best_epoch"], 1);
  ASSERT_EQ(report["epochs"].size(), 4u);
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_LT(report["epochs"][i]["loss"], report["epochs"][i - 1]["loss"]);
  }
}

TEST_F(TagTest, WhatIsWrongWithHiddenMarkovModelsIsSaid) {
  const std::string columns = File("good", "a B\nb C\n");
  const std::string out = Path("o.safetensors");
  const std::string model = Path("hmm.safetensors");
  ASSERT_EQ(
      RunFirth({"tag", "train", "--model", "hmm", "-i", columns, "-o", model})
          .code,
      0);
  const std::string bytes = ReadWholeFile(model);
  const auto train = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"tag", "train", "--model", "hmm",
                                          "-i",  columns, "-o",      out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  ExpectFailures({
      {"units of a network", train({"--units", "8"}), 2,
       "--units requires --model network"},
      {"characters of a network", train({"--char-cnn"}), 2,
       "--char-cnn requires --model network, but --model is hmm"},
      {"vectors", train({"--vectors", Vectors()}), 2,
       "--vectors requires --model network, but --model is hmm"},
      {"checkpoints", train({"--checkpoint", Path("saved")}), 2,
       "--checkpoint requires --model network"},
      {"iterations over nothing", train({"--iterations", "3"}), 2,
       "--iterations requires --unlabeled"},
      {"no iterations", train({"--unlabeled", columns, "--iterations", "0"}), 2,
       "--iterations: expected"},
      {"text without tags for a network",
       {"tag", "train", "-i", columns, "--char-cnn", "--unlabeled", columns,
        "-o", out},
       2,
       "--unlabeled requires --model hmm, but --model is network"},
      {"endings of a network",
       {"tag", "train", "-i", columns, "--char-cnn", "--ending-length", "3",
        "-o", out},
       2,
       "--ending-length requires --model hmm, but --model is network"},
      {"an empty file",
       {"tag", "train", "--model", "hmm", "-i", File("empty", ""), "-o", out},
       1,
       "empty"},
      {"empty text without tags", train({"--unlabeled", File("empty", "")}), 1,
       "empty"},
      {"unknown tags",
       {"tag", "eval", model, "-i", File("other", "a X\n")},
       1,
       "the text has \"X\", the model \"B\""},
      {"a model with vectors",
       {"tag", "apply", model, "--vectors", Vectors()},
       1,
       "this tagger was trained without --vectors"},
      {"nothing to pack",
       {"tag", "pack", model, "-o", out},
       1,
       "so there is nothing to pack"},
      {"a file that is cut off",
       {"tag", "apply", File("cut", bytes.substr(0, bytes.size() / 2))},
       1,
       "cut: "},
  });
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(TagTest, WhatIsWrongIsSaid) {
  const std::string lm = TinyLm();
  const std::string columns = File("bad", "a B\nb\n");
  const std::string slashes = File("slashes", "a/B\nb c/D\n");
  const std::string out = Path("o.safetensors");
  ExpectFailures({
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
       "give --vectors FILE, --contextualizer MODEL, --char-cnn or --model "
       "hmm"},
      {"nothing to tune",
       {"tag", "train", "-i", columns, "--vectors", Vectors(),
        "--tune-contextualizer", "-o", out},
       2,
       "--tune-contextualizer requires --contextualizer"},
      {"a rate of nothing",
       {"tag", "train", "-i", columns, "--contextualizer", lm, "--tuning-rate",
        "1e-4", "-o", out},
       2,
       "--tuning-rate requires --tune-contextualizer"},
      {"filters of no network",
       {"tag", "train", "-i", columns, "--vectors", Vectors(), "-o", out,
        "--char-filters", "3x10"},
       2,
       "--char-filters requires --char-cnn"},
      {"filters wider than words",
       {"tag", "train", "-i", columns, "-o", out, "--char-cnn",
        "--char-filters", "51x10"},
       2,
       "char-filters: width"},
      {"a mix of nothing",
       {"tag", "train", "-i", columns, "--vectors", "v", "--mix-output", "-o",
        out},
       2,
       "--mix-output requires --contextualizer"},
      {"a language model is no tagger",
       {"tag", "apply", lm},
       1,
       "expected a tagger"},
      {"neither model nor column",
       {"tag", "eval", "-i", columns},
       2,
       "give either MODEL or --predicted-column"},
      {"an empty file",
       {"tag", "eval", "-i", File("empty", ""), "--predicted-column", "2"},
       1,
       "the input contains no tokens"},
      {"columns of what has none",
       {"tag", "eval", "-i", columns, "--form", "slashes", "--tag-column", "2"},
       2,
       "--tag-column requires --form columns or conllu, but --form is slashes"},
      {"tags over the IDs of CoNLL-U",
       {"tag", "apply", lm, "--form", "conllu", "--tag-column", "1"},
       2,
       "the columns of ID (1), FORM (2) and the tokens would be overwritten; "
       "choose another column, found 1"},
      {"tags over FORM of CoNLL-U",
       {"tag", "apply", lm, "--form", "conllu", "--tag-column", "2",
        "--token-column", "3"},
       2,
       "would be overwritten; choose another column, found 2"},
      {"tags over the tokens of CoNLL-U",
       {"tag", "apply", lm, "--form", "conllu", "--token-column", "4"},
       2,
       "would be overwritten; choose another column, found 4"},
      {"tags over the tokens in the last column of CoNLL-U",
       {"tag", "apply", lm, "--form", "conllu", "--token-column", "0",
        "--tag-column", "10"},
       2,
       "would be overwritten; choose another column, found 10"},
      {"a mix nowhere",
       {"tag", "train", "-i", columns, "--contextualizer", lm, "--mix-input",
        "off", "-o", out},
       2,
       "--mix-input: a contextualizer needs a mix of layers at the input or at "
       "the output"},
  });
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace firth
