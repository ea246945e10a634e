// Weights that are finite but too large are found wherever a model is asked,
// and the message names the first layer that is not finite.

#include "lm/model/finite_layers.h"

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "firth/contextualizer.h"
#include "firth/language_model.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lm/model/language_model_file.h"
#include "lm/small_training.h"
#include "lm/tiny_language_model.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using testing::HasSubstr;

// Fills the parameters whose names begin so.
void FillParameters(BiLanguageModel& model, const std::string& name,
                    float value) {
  size_t filled = 0;
  for (nn::Parameter<float>* parameter : model.Parameters()) {
    if (!absl::StartsWith(parameter->name, name)) continue;
    parameter->value.Fill(value);
    ++filled;
  }
  ASSERT_GT(filled, 0u) << name;
}

constexpr float kHuge = 3e38f;

// Makes sums of products with the weights of this name overflow.
void MakeHuge(BiLanguageModel& model, const std::string& name) {
  FillParameters(model, name, kHuge);
  if (absl::EndsWith(name, ".projection") && name[0] != 'e') {
    // All of a cell's outputs become tanh(1) at least.
    FillParameters(model, name.substr(0, name.rfind('.')) + ".bias", 10);
  }
  if (name == "head" || name == "next_sentence") {
    // What they multiply becomes greater than 1.
    for (const char* const above : {"forward.1", "backward.1"}) {
      for (nn::Parameter<float>* parameter : model.Parameters()) {
        if (!absl::StartsWith(parameter->name, above)) continue;
        parameter->value.Fill(10);
      }
    }
  }
}

// A model file whose weights of this name are huge.
class HugeModel {
 public:
  HugeModel(std::unique_ptr<BiLanguageModel> model, const std::string& name) {
    MakeHuge(*model, name);
    EXPECT_EQ(SaveLanguageModel(*model, path_), absl::OkStatus());
  }
  LanguageModel Load() const { return *LanguageModel::Load(path_); }
  Contextualizer Embedder() const { return *Contextualizer::Load(path_); }
  const std::string& path() const { return path_; }

 private:
  TempFolder folder_;
  std::string path_ = folder_.path() + "/model.safetensors";
};

const std::vector<LanguageModel::Sentence> kSentences = {
    {"the", "cat", "sat"}, {"on"}, {}};

void ExpectNotFinite(const absl::Status& status, const std::string& place) {
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(place));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("expected finite values, found"));
}

struct LayerCase {
  const char* name;
  TinyInput input;
  const char* weights;
  const char* place;
};

const LayerCase kLayers[] = {
    {"tokens", TinyInput::kCharacters, "encoder.projection", "layer 0"},
    {"first, forward", TinyInput::kTable, "forward.0.projection",
     "layer 1, forward"},
    {"second, backward", TinyInput::kTable, "backward.1.projection",
     "layer 2, backward"},
};

TEST(FiniteLayersTest, EmbeddingNamesTheLayer) {
  for (const LayerCase& test : kLayers) {
    SCOPED_TRACE(test.name);
    const HugeModel model(TinyModel(test.input), test.weights);
    for (const bool stateful : {false, true}) {
      Contextualizer embedder = model.Embedder();
      const auto found = embedder.Embed(kSentences, {.stateful = stateful});
      ExpectNotFinite(found.status(), test.place);
    }
  }
}

TEST(FiniteLayersTest, MeasuringNamesTheLayer) {
  const Corpus text = ReadText(ManyTimes("the cat sat on the cat\n"));
  for (const LayerCase& test : kLayers) {
    SCOPED_TRACE(test.name);
    LanguageModel model = HugeModel(TinyModel(test.input), test.weights).Load();
    for (const bool stateful : {false, true}) {
      const auto measured =
          model.Measure(text, {.stateful = stateful, .threads = 1});
      ExpectNotFinite(measured.status(), test.place);
    }
  }
}

// These read forward alone.
TEST(FiniteLayersTest, ScoresAndSentencesNameTheLayer) {
  for (const char* const weights : {"forward.0.projection", "head"}) {
    const char* const place =
        weights[0] == 'h' ? "the scores of words" : "layer 1, forward";
    LanguageModel model =
        HugeModel(TinyModel(TinyInput::kTable), weights).Load();
    ExpectNotFinite(model.Score(kSentences).status(), place);
    for (const int beam : {1, 3}) {
      GenerateOptions options;
      options.beam = beam;
      options.prompt = {"the"};
      ExpectNotFinite(model.Generate(options).status(), place);
    }
  }
}

std::unique_ptr<BiLanguageModel> MaskedOrPairs(bool transformer) {
  LanguageModelOptions options = TinyOptions(TinyInput::kTable);
  options.predict = Prediction::kMasked;
  options.marks.emplace_back(kMask);
  if (transformer) {
    nn::TransformerLayers layers;
    layers.units = 8;
    layers.heads = 2;
    layers.feed_forward = 16;
    layers.layers = 2;
    layers.context = 32;
    layers.causal = false;
    options.layers = layers;
    options.reading = Reading::kForward;
    options.pairs = options.next_sentence = true;
    options.encoder.embedding_dim = 8;
  }
  LanguageModelData data;
  data.words = *Vocabulary::Create(
      {kBeginSentence, kEndSentence, kUnknown, kMask, "the", "cat", "sat"},
      {9, 9, 8, 0, 7, 5, 3});
  data.input_words = data.words;
  return std::make_unique<BiLanguageModel>(options, std::move(data), 7);
}

TEST(FiniteLayersTest, MaskedModelsNameTheLayer) {
  const Corpus text = ReadText(ManyTimes("the cat sat the cat the sat\n"));
  for (const char* const weights : {"backward.0.projection", "head"}) {
    const char* const place =
        weights[0] == 'h' ? "the scores of words" : "layer 1, backward";
    LanguageModel model = HugeModel(MaskedOrPairs(false), weights).Load();
    ExpectNotFinite(model.Fill({"the", kMask}, 2).status(), place);
    ExpectNotFinite(model.Measure(text, {.threads = 1}).status(), place);
  }
}

TEST(FiniteLayersTest, AttentionAndPairsNameTheLayer) {
  const HugeModel model(MaskedOrPairs(true), "forward.0.feed_forward");
  Contextualizer embedder = model.Embedder();
  ExpectNotFinite(embedder.Attend({"the", "cat"}).status(), "layer 1, forward");
  const std::vector<LanguageModel::Pair> pairs = {{{"the", "cat"}, {"sat"}}};
  ExpectNotFinite(model.Load().NextSentence(pairs).status(),
                  "layer 1, forward");
  LanguageModel head = HugeModel(MaskedOrPairs(true), "next_sentence").Load();
  ExpectNotFinite(head.NextSentence(pairs).status(), "the scores of pairs");
}

TEST(FiniteLayersTest, TokenVectorsAsAVectorFileAreFiniteOrRefused) {
  LanguageModelData data = TinyData();
  const HugeModel model(TinyModel(TinyInput::kBoth), "encoder.projection");
  const auto loaded = LoadVectorFile(model.path());
  ExpectNotFinite(loaded.status(), "layer 0, the token vectors");
}

// Not huge enough for floats, but for exp() of their mean.
TEST(FiniteLayersTest, APerplexityThatNoDoubleHoldsIsAnError) {
  auto model = TinyModel(TinyInput::kTable);
  for (nn::Parameter<float>* parameter : model->Parameters()) {
    if (!absl::StartsWith(parameter->name, "head")) continue;
    for (size_t i = 0; i < parameter->value.rows(); ++i) {
      parameter->value.Row(i)[0] = i == 3 ? -1e6f : 1e6f;
    }
  }
  const TempFolder folder;
  const std::string path = folder.path() + "/model.safetensors";
  ASSERT_EQ(SaveLanguageModel(*model, path), absl::OkStatus());
  const Corpus text = ReadText(ManyTimes("the cat sat on the cat\n"));
  const auto measured =
      LanguageModel::Load(path)->Measure(text, {.threads = 1});
  EXPECT_EQ(measured.status().code(), absl::StatusCode::kOutOfRange)
      << measured.status();
  EXPECT_THAT(std::string(measured.status().message()),
              HasSubstr("the perplexity is not finite"));
}

// What stands beyond a sentence's end has no influence.
TEST(FiniteLayersTest, PaddingIsNotChecked) {
  const auto model = TinyModel(TinyInput::kTable);
  Matrix<float> tokens(6, 6);  // three steps of two sequences
  tokens.Fill(1);
  const std::vector<size_t> lengths = {3, 1};
  const nn::ChunkShape shape{3, 2, lengths};
  auto& layers = model->layers()[nn::Direction::kForward];
  layers.Forward(tokens.view(), shape, nullptr);
  const auto check = [&](size_t row) {
    Matrix<float> changed(6, 6);
    changed.Fill(1);
    changed.Row(row)[5] = std::numeric_limits<float>::infinity();
    return CheckLayers(*model, nn::Direction::kForward, shape, 0,
                       std::as_const(changed).view());
  };
  EXPECT_EQ(check(3), absl::OkStatus());
  EXPECT_EQ(check(5), absl::OkStatus());
  ExpectNotFinite(check(1), "layer 0, the token vectors");
  ExpectNotFinite(check(4), "found inf");
}

}  // namespace
}  // namespace firth
