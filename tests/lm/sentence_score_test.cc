// ln p of sentences, against the model read word by word and against the loss
// of a whole text.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/model/language_model_file.h"
#include "lm/read/network_model.h"
#include "lm/tiny_language_model.h"
#include "nn/parameter.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::HasSubstr;

// A random model whose predictions are not all alike.
std::unique_ptr<BiLanguageModel> Sharp(LanguageModelOptions options) {
  auto model =
      std::make_unique<BiLanguageModel>(std::move(options), TinyData(), 7);
  for (nn::Parameter<float>* parameter : model->Parameters()) {
    if (parameter->name.rfind("head", 0) != 0) continue;
    nn::FillNormal(4, 11, parameter->value);
  }
  return model;
}

class SentenceScoreTest : public testing::Test {
 protected:
  LanguageModel Saved(BiLanguageModel& model) {
    const std::string path = folder_.File("lm.safetensors");
    EXPECT_EQ(SaveLanguageModel(model, path), absl::OkStatus());
    return *LanguageModel::Load(path);
  }
  TempFolder folder_;
};

TEST_F(SentenceScoreTest, IsWhatTheModelSaysWordByWord) {
  NetworkModel model(Sharp(TinyOptions(TinyInput::kTable)));
  LanguageModel loaded = Saved(*model.network());
  int checked = 0;
  for (uint64_t seed = 1; seed < 20; ++seed) {
    GenerateOptions options;
    options.temperature = 10;  // so that sentences end
    options.unknown = true;
    options.seed = seed;
    const GeneratedSentence drawn =
        *(*model.Continue(options))->Draw(options, seed);
    if (!drawn.ended) continue;
    SCOPED_TRACE(absl::StrJoin(drawn.words, " "));
    const auto scores =
        loaded.Score({{{drawn.words.begin(), drawn.words.end()}}});
    ASSERT_EQ(scores.status(), absl::OkStatus());
    EXPECT_NEAR(scores->front().log_probability, drawn.log_probability, 1e-4);
    EXPECT_EQ(scores->front().tokens, drawn.words.size() + 1);
    const auto tokens =
        loaded.TokenScores({{{drawn.words.begin(), drawn.words.end()}}});
    ASSERT_EQ(tokens.status(), absl::OkStatus());
    ASSERT_EQ(tokens->front().size(), drawn.words.size() + 1);
    double sum = 0;
    for (const TokenScore& token : tokens->front()) {
      EXPECT_LE(token.log_probability, 0);
      sum += token.log_probability;
    }
    EXPECT_DOUBLE_EQ(sum, scores->front().log_probability);
    ++checked;
  }
  EXPECT_GT(checked, 5);
}

TEST_F(SentenceScoreTest, TheSumIsTheLossOfTheText) {
  for (const TinyInput input : {TinyInput::kTable, TinyInput::kBoth}) {
    LanguageModel loaded = Saved(*Sharp(TinyOptions(input)));
    const std::vector<LanguageModel::Sentence> sentences = {
        {"the", "cat", "sat"},
        {"on"},
        {"the", "dog", "sat", "on", "the", "cat"},
        {"a", "bird"}};
    CorpusOptions reading;
    std::string text;
    for (const auto& sentence : sentences) {
      absl::StrAppend(&text, absl::StrJoin(sentence, " "), "\n");
    }
    reading.text = text;
    reading.threads = 1;
    const Corpus corpus = *ReadCorpus(reading, {.min_count = 1});
    const DirectionPerplexity measured = loaded.Measure(corpus)->forward;
    const auto scores = loaded.Score(sentences);
    ASSERT_EQ(scores.status(), absl::OkStatus());
    double sum = 0;
    uint64_t tokens = 0, unknown = 0;
    for (const SentenceScore& score : *scores) {
      sum += score.log_probability;
      tokens += score.tokens;
      unknown += score.unknown;
    }
    EXPECT_EQ(tokens, 16u);  // 12 words, 4 ends
    EXPECT_EQ(tokens, measured.tokens);
    EXPECT_EQ(unknown, 3u);  // dog, a, bird
    EXPECT_EQ(unknown, measured.unknown);
    EXPECT_NEAR(sum, -measured.loss * static_cast<double>(tokens), 1e-4);
  }
}

TEST_F(SentenceScoreTest, AnEmptySentenceEndsAtOnce) {
  LanguageModel model = Saved(*Sharp(TinyOptions(TinyInput::kTable)));
  GenerateOptions options;
  options.beam = 1000;
  options.max_tokens = 1;
  const auto said = model.Generate(options);
  ASSERT_EQ(said.status(), absl::OkStatus());
  ASSERT_FALSE(said->empty());
  EXPECT_TRUE(said->front().words.empty());
  const auto scores = model.Score({{}});
  ASSERT_EQ(scores.status(), absl::OkStatus());
  EXPECT_NEAR(scores->front().log_probability, said->front().log_probability,
              1e-4);
  EXPECT_EQ(scores->front().tokens, 1u);
  EXPECT_TRUE(model.Score({})->empty());
}

TEST_F(SentenceScoreTest, AModelWithoutProbabilitiesIsRefused) {
  LanguageModelOptions backward = TinyOptions(TinyInput::kTable);
  backward.reading = Reading::kBackward;
  EXPECT_THAT(Saved(*Sharp(backward)).Score({{"the"}}).status().message(),
              HasSubstr("a model that reads forward is needed"));
  LanguageModelOptions embeds = TinyOptions(TinyInput::kTable);
  embeds.head = HeadKind::kNone;
  LanguageModelData data = TinyData();
  data.words = Vocabulary();
  BiLanguageModel model(embeds, data, 7);
  EXPECT_THAT(Saved(model).Score({{"the"}}).status().message(),
              HasSubstr("only embeds"));
}

}  // namespace
}  // namespace firth
