// The wiring of a tagger: every combination of its parts passes a gradient
// check, and a sentence's tags do not depend on its batch.

#include "tag/tag_network.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/gradient_check.h"

namespace firth {
namespace {

constexpr size_t kTags = 3;
const std::vector<size_t> kLengths = {2, 4, 1};

struct NetworkCase {
  const char* name;
  TagNetworkOptions options;
};

// Both parts of a spelling, or one of them.
nn::TokenEncoderOptions Spelling(bool casing, bool characters) {
  nn::TokenEncoderOptions spelling;
  if (casing) {
    spelling.vocab_size = 3;
    spelling.embedding_dim = 2;
  }
  if (characters) {
    spelling.char_cnn.num_characters = 5;
    spelling.char_cnn.max_characters = 4;
    spelling.char_cnn.embedding_dim = 3;
    spelling.char_cnn.filters = {{1, 2}, {3, 2}};
    spelling.char_cnn.activation = nn::Activation::kTanh;  // smooth
  }
  return spelling;
}

const NetworkCase kCases[] = {
    {"linear on static", {.static_dim = 4}},
    {"linear on a mix",
     {.contextual_dim = 3, .mix = {.layers = 2}, .dropout = 0.3}},
    {"linear on both",
     {.static_dim = 2,
      .contextual_dim = 3,
      .mix = {.layers = 2, .layer_norm = true, .l2 = 0.1},
      .mix_at_output = true}},
    {"linear on static, a mix at the output alone",
     {.static_dim = 2,
      .contextual_dim = 3,
      .mix = {.layers = 2, .l2 = 0.1},
      .mix_at_input = false,
      .mix_at_output = true,
      .dropout = 0.25}},
    {"BiLSTM on casing, a mix at the output alone",
     {.contextual_dim = 3,
      .spelling = Spelling(true, false),
      .mix = {.layers = 2},
      .mix_at_input = false,
      .mix_at_output = true,
      .lstm_layers = 1,
      .units = 2}},
    {"BiLSTM on static", {.static_dim = 4, .lstm_layers = 2, .units = 2}},
    {"linear on casing", {.spelling = Spelling(true, false)}},
    {"BiLSTM on static and characters",
     {.static_dim = 2,
      .spelling = Spelling(false, true),
      .lstm_layers = 1,
      .units = 2}},
    {"BiLSTM and CRF on all, with dropout",
     {.static_dim = 2,
      .contextual_dim = 3,
      .spelling = Spelling(true, true),
      .mix = {.layers = 3, .l2 = 0.1},
      .mix_at_output = true,
      .lstm_layers = 1,
      .units = 3,
      .dropout = 0.25,
      .crf = true}},
};

TokenFeatures<double> RandomFeatures(const TagNetworkOptions& options,
                                     const std::vector<size_t>& lengths) {
  TokenFeatures<double> features;
  features.lengths = lengths;
  const size_t tokens = features.tokens();
  features.words = nn::RandomMatrix<double>(tokens, options.static_dim, 3);
  for (size_t j = 0; j < options.mix.layers; ++j) {
    features.layers.push_back(
        nn::RandomMatrix<double>(tokens, options.contextual_dim, 10 + j));
  }
  features.casings = {2, 0, 1};
  features.characters = {1, 2, 3, 0, 4, 0, 0, 0, 2, 2, 4, 1};
  for (size_t t = 0; t < tokens; ++t) {
    features.spelled_as.push_back(static_cast<uint32_t>(t * t % 3));
  }
  return features;
}

TEST(TagNetworkTest, GradientsAreDifferencesOfTheLoss) {
  for (NetworkCase test : kCases) {
    SCOPED_TRACE(test.name);
    test.options.num_tags = kTags;
    TagNetwork<double> network(test.options, 1);
    nn::ParameterList<double> parameters;
    network.AppendParameters(&parameters);
    nn::Randomize(parameters, 2);
    const auto features = RandomFeatures(test.options, kLengths);
    std::vector<uint32_t> tags;
    for (uint32_t i = 0; i < features.tokens(); ++i) {
      tags.push_back(size_t{i} * i % kTags);
    }
    const auto loss = [&] { return network.Train(features, tags, 5); };
    for (nn::Parameter<double>* parameter : parameters) {
      if (parameter->frozen) continue;
      nn::ClearGradients(parameters);  // `loss` adds to them
      loss();
      nn::ExpectGradients({parameter}, loss);
    }
  }
}

// Without a CRF, p of a tag is its softmax; Train()'s loss is the mean of -ln
// p. With one, p of a tag is at least that of all sentences' tags together.
TEST(TagNetworkTest, ProbabilitiesAgreeWithTheLoss) {
  for (NetworkCase test : kCases) {
    SCOPED_TRACE(test.name);
    test.options.num_tags = kTags;
    test.options.mix.l2 = 0;
    TagNetwork<double> network(test.options, 1);
    nn::ParameterList<double> parameters;
    network.AppendParameters(&parameters);
    nn::Randomize(parameters, 2);
    const auto features = RandomFeatures(test.options, kLengths);
    const std::vector<uint32_t> tags = network.Decode(features);
    const auto probabilities = network.Probabilities(kLengths, tags);
    const double loss = network.Train(features, tags, {}) *
                        static_cast<double>(features.tokens());
    double sum = 0;
    for (const double p : probabilities) {
      EXPECT_GT(p, std::exp(-loss));
      EXPECT_LT(p, 1);
      sum -= std::log(p);
    }
    if (!test.options.crf) {
      EXPECT_NEAR(sum, loss, 1e-9);
    }
  }
}

TEST(TagNetworkTest, ScoresThatAreNotFiniteAreAnError) {
  TagNetworkOptions options{.static_dim = 4};
  options.num_tags = kTags;
  TagNetwork<float> network(options, 1);
  TokenFeatures<float> features;
  features.lengths = {2};
  features.words = nn::RandomMatrix<float>(2, 4, 3);
  network.Decode(features);
  EXPECT_EQ(network.CheckFinite(), absl::OkStatus());
  nn::ParameterList<float> parameters;
  network.AppendParameters(&parameters);
  for (nn::Parameter<float>* parameter : parameters) {
    if (parameter->name == "output.bias") parameter->value.Fill(3e38f);
    if (parameter->name == "output.weights") parameter->value.Fill(3e38f);
  }
  features.words.Fill(1);
  network.Decode(features);
  const absl::Status status = network.CheckFinite();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(status.message()),
              testing::HasSubstr("the scores of tags: expected finite values, "
                                 "found inf"));
}

TEST(TagNetworkTest, TagsDoNotDependOnTheBatch) {
  for (NetworkCase test : kCases) {
    SCOPED_TRACE(test.name);
    test.options.num_tags = kTags;
    TagNetwork<double> network(test.options, 1);
    nn::ParameterList<double> parameters;
    network.AppendParameters(&parameters);
    nn::Randomize(parameters, 2, 2);
    const auto batch = RandomFeatures(test.options, kLengths);
    const std::vector<uint32_t> together = network.Decode(batch);
    std::vector<uint32_t> alone;
    size_t first = 0;
    for (const size_t length : kLengths) {
      TokenFeatures<double> one = RandomFeatures(test.options, {length});
      nn::Copy<double>(batch.words.view().Rows(first, length),
                       one.words.view());
      for (size_t j = 0; j < batch.layers.size(); ++j) {
        nn::Copy<double>(batch.layers[j].view().Rows(first, length),
                         one.layers[j].view());
      }
      std::copy_n(batch.spelled_as.begin() + static_cast<ptrdiff_t>(first),
                  length, one.spelled_as.begin());
      const auto tags = network.Decode(one);
      alone.insert(alone.end(), tags.begin(), tags.end());
      first += length;
    }
    EXPECT_EQ(together, alone);
  }
}

}  // namespace
}  // namespace firth
