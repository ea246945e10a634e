// A contextualizer that reads pairs reads a text with a tab as one.

#include <vector>

#include "absl/types/span.h"
#include "classify/model/text_context.h"
#include "firth/contextualizer.h"
#include "gtest/gtest.h"
#include "lm/model/language_model.h"
#include "lm/model/language_model_file.h"
#include "support/temp_files.h"

namespace firth {
namespace {

absl::StatusOr<Contextualizer> TinyTransformer(bool pairs) {
  LanguageModelOptions options;
  nn::TransformerLayers layers;
  layers.units = 4;
  layers.heads = 2;
  layers.feed_forward = 4;
  layers.causal = false;
  options.encoder.embedding_dim = 4;
  options.layers = layers;
  options.reading = Reading::kForward;
  options.pairs = pairs;
  LanguageModelData data;
  data.input_words = *Vocabulary::Create(
      {kBeginSentence, kEndSentence, kUnknown, "a", "b"}, {});
  BiLanguageModel model(options, std::move(data), 3);
  if (pairs) model.second_segment()->value.Fill(0.5f);
  const TempFolder folder;
  const std::string path = folder.File("lm.safetensors");
  EXPECT_EQ(SaveLanguageModel(model, path), absl::OkStatus());
  return Contextualizer::Load(path);
}

TEST(PairContextTest, ATabStandsBetweenTheSentencesOfAPair) {
  for (const bool pairs : {false, true}) {
    auto contextualizer = TinyTransformer(pairs);
    ASSERT_EQ(contextualizer.status(), absl::OkStatus());
    EXPECT_EQ(contextualizer->reads_pairs(), pairs);
    const std::vector<absl::string_view> texts = {"a b\tb a", "\ta b", "b\t"};
    std::vector<Contextualizer::Sentence> read = {
        {"a", "b", "b", "a"}, {"a", "b"}, {"b"}};
    if (pairs) read[0] = {"a", "b", "</S>", "b", "a"};
    Matrix<float> context;
    ASSERT_EQ(
        ReadContext(texts, FeatureOptions(), 1, {}, &*contextualizer, &context),
        absl::OkStatus());
    const auto vectors = contextualizer->Embed(read, {.threads = 1});
    ASSERT_EQ(vectors.status(), absl::OkStatus());
    for (size_t i = 0; i < texts.size(); ++i) {
      const TokenVectors mean = Pool((*vectors)[i], Pooling::kMean);
      for (size_t d = 0; d < mean.values.size(); ++d) {
        EXPECT_NEAR(context.Row(i)[d], mean.values[d], 1e-6);
      }
    }
  }
}

}  // namespace
}  // namespace firth
