// Language models without recurrence, as a user runs them, and what reads them
// as a file of word vectors.

#include <algorithm>
#include <sstream>
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
using testing::StartsWith;

using ContextualTest = ContextualProgramTest;

// A network over a window of words does all that a recurrent one does.
// Every option that takes vectors of any format takes those in a folder.
TEST_F(ContextualTest, VectorsMayBeAFolder) {
  const std::string folder = Path("m2v");
  ASSERT_EQ(RunFirth({"convert", Vectors(), folder, "--to", "model2vec"}).code,
            0);
  std::string texts, text;
  for (int i = 0; i < 30; ++i) {
    absl::StrAppend(&texts, "__label__a red cat\n__label__b green dog\n");
    absl::StrAppend(&text, "red cat the green dog\n");
  }
  const std::string labelled = File("labelled", texts);
  const std::string plain = File("plain", text);
  const std::string tagger = Path("t.safetensors");
  std::vector<std::string> tag = TrainArguments(tagger);
  *(std::find(tag.begin(), tag.end(), "--vectors") + 1) = folder + "/";
  const std::vector<std::string> commands[] = {
      {"classify", "train", "--input", labelled, "--vectors", folder,
       "--output", Path("c.safetensors")},
      tag,
      {"tag", "eval", tagger, "--input", Tagged("test", 9, 3), "--vectors",
       folder},
      {"lm", "train", "--input", plain, "--min-count", "1", "--vectors", folder,
       "--units", "4", "--projection", "0", "--epochs", "1", "--output",
       Path("lm2.safetensors")},
      {"train", "--input", plain, "--min-count", "1", "--init", folder,
       "--epochs", "1", "--output", Path("v.safetensors")}};
  for (const std::vector<std::string>& command : commands) {
    const Outcome outcome = RunFirth(command);
    EXPECT_EQ(outcome.code, 0) << command[0] << ": " << outcome.err;
  }
  EXPECT_THAT(
      RunFirth({"tag", "eval", tagger, "--input", Tagged("test", 9, 3)}).err,
      testing::HasSubstr("was named \"m2v\""));
}

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
  EXPECT_THAT(mixed.err, HasSubstr("--cell requires --network recurrent"));

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
  ASSERT_EQ(train(causal, {"--positions", "learned"}).code, 0);
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
  const json answer = json::parse(filled.out);
  EXPECT_EQ(answer.at("query"), "the <MASK> is <MASK>");
  // Two words for each mask, and <UNK>.
  ASSERT_EQ(answer.at("words").size(), 6u);
  EXPECT_EQ(answer.at("words").at(2).at("mask"), 1);
  EXPECT_EQ(answer.at("words").at(2).at("word"), "<UNK>");
  EXPECT_EQ(answer.at("words").at(3).at("mask"), 2);
  const Outcome next =
      RunFirth({"lm", "next-words", causal, "the", "--of", "nowhere"});
  EXPECT_EQ(next.code, 1);
  EXPECT_THAT(next.err, HasSubstr("\"nowhere\" is not in the vocabulary"));
  const Outcome no_gap = RunFirth({"lm", "fill", masked, "the"});
  EXPECT_EQ(no_gap.code, 1);
  EXPECT_THAT(no_gap.err, HasSubstr("the sentence contains no <MASK>"));
  EXPECT_THAT(RunFirth({"lm", "fill", causal, "<MASK>"}).err,
              HasSubstr("this model does not predict masked words"));
  EXPECT_THAT(RunFirth({"lm", "generate", masked}).err,
              HasSubstr("this model predicts masked words"));
  const Outcome heads =
      RunFirth({"lm", "train", "--input", text, "--output", causal, "--network",
                "transformer", "--units", "16", "--heads", "3"});
  EXPECT_EQ(heads.code, 2);
  EXPECT_THAT(heads.err, HasSubstr("must divide the number of units (16)"));

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

}  // namespace
}  // namespace firth
