// Fine-tuning: gradients by all weights of a contextualizer below a tagger's
// network, and below the means of a classifier, are those of the loss, and what
// is tuned gives what embedding gives.

#include "lm/learn/context_tuner.h"

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lm/model/language_model_file.h"
#include "lm/tiny_language_model.h"
#include "nn/elementwise.h"
#include "support/gradient_check.h"
#include "support/temp_files.h"
#include "tag/tag_network.h"

namespace firth {
namespace {

struct TunedCase {
  const char* name;
  nn::TokenEncoderOptions encoder;
  nn::LayersOptions layers;
  Reading reading;
  bool mix_at_output;
  bool layer_norm;
};

nn::TokenEncoderOptions Table(size_t dim) {
  nn::TokenEncoderOptions encoder;
  encoder.vocab_size = 5;
  encoder.embedding_dim = dim;
  return encoder;
}

nn::TokenEncoderOptions Characters() {
  nn::TokenEncoderOptions encoder;
  encoder.char_cnn.num_characters = 5;
  encoder.char_cnn.max_characters = 2;
  encoder.char_cnn.embedding_dim = 3;
  encoder.char_cnn.filters = {{1, 2}, {2, 2}};
  encoder.char_cnn.activation = nn::Activation::kTanh;  // smooth
  encoder.highways = 1;
  encoder.projection_dim = 4;
  return encoder;
}

nn::RecurrentLayers Lstms() {
  nn::RecurrentLayers stack;
  stack.recurrent.units = 3;
  stack.layers = 2;
  stack.dropout = 0.2;
  return stack;
}

nn::TransformerLayers Blocks(bool causal) {
  nn::TransformerLayers blocks;
  blocks.units = 4;
  blocks.layers = 2;
  blocks.heads = 2;
  blocks.feed_forward = 6;
  blocks.context = 8;
  blocks.causal = causal;
  blocks.activation = nn::Activation::kGelu;
  blocks.dropout = 0.2;
  return blocks;
}

// Token vectors that stand twice in layer 0, once and before zeros, and from
// characters; mixes before the BiLSTM, behind it, and of normalised layers.
std::vector<TunedCase> Cases() {
  return {{"LSTMs, token vectors twice", Table(3), Lstms(), Reading::kBoth,
           false, false},
          {"LSTM from characters", Characters(), Lstms(), Reading::kForward,
           true, false},
          {"Transformer both ways", Table(4), Blocks(false), Reading::kForward,
           true, true},
          {"causal Transformers", Table(3), Blocks(true), Reading::kBoth, false,
           false}};
}

// Three sequences of 4, 3 and 5 steps with their marks, of five different
// words. Two sentences of two tokens: two of the first sequence, one of the
// second, and one whose two pieces are in the last.
struct Sentences {
  explicit Sentences(const nn::TokenEncoderOptions& encoder) {
    if (encoder.has_table()) ids = {0, 4, 2, 1, 3};
    if (encoder.has_characters()) characters = {1, 2, 3, 0, 4, 1, 2, 2, 0, 4};
    for (uint32_t row = 0; row < 15; ++row) rows.push_back(row * row % 5);
    batch.words = {ids, characters};
    batch.word_of_row = rows;
    batch.lengths = {4, 3, 5};
    batch.rows = {3, 6, 4, 8, 11};
    batch.first = {0, 1, 2, 3, 5};
    batch.second_rows = second;
  }
  std::vector<uint32_t> ids;
  std::vector<uint16_t> characters;
  std::vector<uint32_t> rows;
  std::vector<uint32_t> second = {6, 8, 11};
  TunedBatch batch;
};

TEST(TunedLayersTest, GradientsAreDifferencesOfTheTaskLoss) {
  for (const TunedCase& test : Cases()) {
    SCOPED_TRACE(test.name);
    nn::TokenEncoder<double> encoder(test.encoder, "encoder", 1);
    nn::Bidirectional<double> layers(test.layers, test.reading,
                                     encoder.output_dim(), {2, 3});
    nn::Parameter<double> segment("segment", 1, encoder.output_dim());
    TunedLayers<double> tuned(encoder, layers, 1, &segment);
    TagNetworkOptions options;
    options.contextual_dim = layers.output_dim();
    options.mix = {.layers = layers.num_layers() + 1,
                   .layer_norm = test.layer_norm};
    options.mix_at_output = test.mix_at_output;
    options.lstm_layers = 1;
    options.units = 2;
    options.dropout = 0.25;
    options.num_tags = 3;
    options.crf = true;
    options.threads = 1;
    TagNetwork<double> network(options, 4);
    nn::ParameterList<double> parameters;
    encoder.AppendParameters(&parameters);
    layers.AppendParameters(&parameters);
    parameters.push_back(&segment);
    const size_t below = parameters.size();
    network.AppendParameters(&parameters);
    nn::Randomize(parameters, 5);
    network.set_layer_scale(2.5);
    const Sentences sentences(test.encoder);
    const std::vector<uint32_t> tags = {0, 2, 1, 1};
    TokenFeatures<double> features;
    features.lengths = {2, 2};
    std::vector<Matrix<double>> d_layers;
    const auto loss = [&] {
      tuned.Forward(sentences.batch, 9, &features.layers);
      return network.Train(features, tags, 8, &d_layers);
    };
    for (size_t p = 0; p < below; ++p) {
      nn::ClearGradients(parameters);  // `loss` adds to them
      loss();
      tuned.Backward(sentences.batch, d_layers);
      nn::ExpectGradients({parameters[p]}, loss);
    }
  }
}

// A classifier's loss: the softmax of scores of texts' means in all layers.
struct SoftmaxOfMeans {
  explicit SoftmaxOfMeans(size_t dim)
      : weights(nn::RandomMatrix<double>(3, dim, 6)) {}

  const Matrix<double> weights;  // [labels, layers * dim]
  std::vector<size_t> lengths = {3, 1};
  std::vector<size_t> labels = {1, 2};
  Matrix<double> means;
  Matrix<double> d_means;

  double operator()(const std::vector<Matrix<double>>& layers) {
    MeansOfTokens<double>(layers, lengths, &means);
    d_means.Resize(means.rows(), means.cols());
    d_means.Fill(0);
    double loss = 0;
    for (size_t text = 0; text < lengths.size(); ++text) {
      std::vector<double> e(weights.rows());
      double sum = 0;
      for (size_t label = 0; label < e.size(); ++label) {
        for (size_t d = 0; d < means.cols(); ++d) {
          e[label] += weights.Row(label)[d] * means.Row(text)[d];
        }
        e[label] = std::exp(e[label]);
        sum += e[label];
      }
      loss -= std::log(e[labels[text]] / sum);
      for (size_t label = 0; label < e.size(); ++label) {
        nn::AddScaled(means.cols(),
                      e[label] / sum - (label == labels[text] ? 1 : 0),
                      weights.Row(label), d_means.Row(text));
      }
    }
    return loss;
  }
};

TEST(TunedLayersTest, GradientsAreDifferencesThroughMeansOfTokens) {
  for (const TunedCase& test : Cases()) {
    SCOPED_TRACE(test.name);
    nn::TokenEncoder<double> encoder(test.encoder, "encoder", 1);
    nn::Bidirectional<double> layers(test.layers, test.reading,
                                     encoder.output_dim(), {2, 3});
    TunedLayers<double> tuned(encoder, layers, 1);
    nn::ParameterList<double> parameters;
    encoder.AppendParameters(&parameters);
    layers.AppendParameters(&parameters);
    nn::Randomize(parameters, 5);
    const size_t num_layers = layers.num_layers() + 1;
    Sentences sentences(test.encoder);
    sentences.batch.second_rows = {};
    SoftmaxOfMeans classifier(num_layers * layers.output_dim());
    std::vector<Matrix<double>> vectors, d_vectors;
    const auto loss = [&] {
      tuned.Forward(sentences.batch, 9, &vectors);
      return classifier(vectors);
    };
    loss();
    GiveToTokens(std::as_const(classifier.d_means).view(), classifier.lengths,
                 num_layers, &d_vectors);
    tuned.Backward(sentences.batch, d_vectors);
    nn::ExpectGradients(parameters, loss);
  }
}

TEST(ContextTunerTest, LayersAreThoseThatAreEmbedded) {
  const TempFolder folder;
  const std::string path = folder.File("lm.safetensors");
  for (const TinyInput input :
       {TinyInput::kTable, TinyInput::kCharacters, TinyInput::kBoth}) {
    ASSERT_EQ(SaveLanguageModel(*TinyModel(input), path), absl::OkStatus());
    absl::StatusOr<Contextualizer> contextualizer = Contextualizer::Load(path);
    ASSERT_EQ(contextualizer.status(), absl::OkStatus());
    const std::vector<Contextualizer::Sentence> sentences = {
        {"the", "cat", "sat"}, {"elsewhere"}, {"on", "the", "mat", "the"}};
    const auto embedded = contextualizer->Embed(sentences);
    ASSERT_EQ(embedded.status(), absl::OkStatus());
    for (const int threads : {1, 2}) {
      ContextTuner tuner(*contextualizer, 5e-5, threads);
      std::vector<Matrix<float>> layers;
      tuner.Forward(sentences, {}, &layers);
      ASSERT_EQ(layers.size(), contextualizer->num_layers());
      size_t row = 0;
      for (const TokenVectors& vectors : *embedded) {
        for (size_t token = 0; token < vectors.tokens; ++token, ++row) {
          for (size_t layer = 0; layer < layers.size(); ++layer) {
            for (size_t d = 0; d < vectors.dim; ++d) {
              EXPECT_NEAR(layers[layer].Row(row)[d],
                          vectors.Vector(layer, token)[d], 1e-6);
            }
          }
        }
      }
      EXPECT_EQ(row, layers[0].rows());
    }
  }
}

}  // namespace
}  // namespace firth
