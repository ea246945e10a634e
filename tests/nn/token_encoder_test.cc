#include "nn/token_encoder.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "support/gradient_check.h"
#include "support/targets.h"

namespace firth::nn {
namespace {

constexpr size_t kMaxCharacters = 7;
constexpr uint16_t kPadding = 9;

CharCnnOptions CnnOptions(Activation activation) {
  CharCnnOptions options;
  options.num_characters = 10;
  options.max_characters = kMaxCharacters;
  options.padding = kPadding;
  options.embedding_dim = 3;
  options.filters = {{1, 2}, {2, 3}, {7, 4}};
  options.activation = activation;
  return options;
}

// Short, full, empty, and with the padding character inside.
const std::vector<uint16_t> kWords = {
    1, 2, 9, 9, 9, 9, 9,  //
    3, 4, 5, 6, 7, 8, 0,  //
    9, 9, 9, 9, 9, 9, 9,  //
    1, 9, 1, 1, 9, 9, 9,
};
const std::vector<uint32_t> kIds = {3, 0, 2, 5};

struct EncoderCase {
  const char* name;
  size_t embedding_dim = 0;
  bool characters = false;
  Activation activation = Activation::kRelu;
  size_t highways = 0;
  size_t projection_dim = 0;
};

constexpr EncoderCase kCases[] = {
    {.name = "table", .embedding_dim = 5},
    {.name = "table, projected", .embedding_dim = 5, .projection_dim = 3},
    {.name = "relu", .characters = true},
    {.name = "tanh", .characters = true, .activation = Activation::kTanh},
    {.name = "ELMo's", .characters = true, .highways = 2, .projection_dim = 4},
    {.name = "both",
     .embedding_dim = 2,
     .characters = true,
     .highways = 1,
     .projection_dim = 4},
};

TokenEncoderOptions OptionsOf(const EncoderCase& test) {
  TokenEncoderOptions options;
  options.vocab_size = 6;
  options.embedding_dim = test.embedding_dim;
  if (test.characters) options.char_cnn = CnnOptions(test.activation);
  options.highways = test.highways;
  options.projection_dim = test.projection_dim;
  return options;
}

TEST(TokenEncoderTest, GradientsAreThoseOfDifferences) {
  for (const EncoderCase& test : kCases) {
    SCOPED_TRACE(test.name);
    TokenEncoder<double> encoder(OptionsOf(test), "encoder", 1);
    ParameterList<double> parameters;
    encoder.AppendParameters(&parameters);
    // A key of which no number lies so near to where a rectifier bends that a
    // difference reaches over it.
    Randomize(parameters, 40);
    const TokenBatch tokens{kIds, kWords};
    const Matrix<double> weights =
        RandomMatrix<double>(kIds.size(), encoder.output_dim(), 77);
    const auto loss = [&] {
      return WeightedSum(encoder.Forward(tokens), weights.view());
    };
    loss();
    encoder.Backward(tokens, weights.view());
    ExpectGradients(parameters, loss);
  }
}

TEST(TokenEncoderTest, TableGradientHoldsTheRowsOfTheChunkOnly) {
  TokenEncoder<float> encoder(OptionsOf(kCases[0]), "encoder", 1);
  const TokenBatch tokens{kIds, {}};
  encoder.Forward(tokens);
  encoder.Backward(tokens, RandomMatrix<float>(4, 5, 2).view());
  const Gradient<float>& gradient = encoder.table()->gradient;
  ASSERT_EQ(gradient.num_stored(), kIds.size());
  for (size_t k = 0; k < kIds.size(); ++k) {
    EXPECT_EQ(gradient.TableRow(k), kIds[k]);
  }
}

TEST(TokenEncoderTest, FrozenTableTakesNoGradient) {
  TokenEncoderOptions options = OptionsOf(kCases[0]);
  options.frozen = true;
  TokenEncoder<float> encoder(options, "encoder", 1);
  const TokenBatch tokens{kIds, {}};
  encoder.Forward(tokens);
  encoder.Backward(tokens, RandomMatrix<float>(4, 5, 2).view());
  EXPECT_EQ(encoder.table()->gradient.num_stored(), 0u);
  EXPECT_TRUE(encoder.table()->frozen);
}

// The convolution as the papers have it: every place, padding included.
std::vector<double> PlainCnn(CharCnn<double>& cnn, const uint16_t* word) {
  const CharCnnOptions& options = cnn.options();
  std::vector<double> outputs;
  for (size_t i = 0; i < options.filters.size(); ++i) {
    const size_t width = options.filters[i].width;
    for (size_t f = 0; f < options.filters[i].count; ++f) {
      double best = -1e300;
      for (size_t p = 0; p + width <= options.max_characters; ++p) {
        double sum = cnn.bias(i).value.data()[f];
        for (size_t k = 0; k < width; ++k) {
          for (size_t e = 0; e < options.embedding_dim; ++e) {
            sum += cnn.filters(i).value.Row(f)[k * options.embedding_dim + e] *
                   cnn.embedding().value.Row(word[p + k])[e];
          }
        }
        best = std::max(best, sum);
      }
      outputs.push_back(options.activation == Activation::kRelu
                            ? std::max(best, 0.0)
                            : std::tanh(best));
    }
  }
  return outputs;
}

TEST(CharCnnTest, EqualsThePlainConvolution) {
  for (const Activation activation : {Activation::kRelu, Activation::kTanh}) {
    CharCnn<double> cnn(CnnOptions(activation), "cnn", 1);
    ParameterList<double> parameters;
    cnn.AppendParameters(&parameters);
    Randomize(parameters, 5, 1);
    const ConstView<double> output = cnn.Forward(kWords);
    ASSERT_EQ(output.rows(), 4u);
    for (size_t row = 0; row < output.rows(); ++row) {
      const std::vector<double> expected =
          PlainCnn(cnn, kWords.data() + row * kMaxCharacters);
      ASSERT_EQ(output.cols(), expected.size());
      for (size_t c = 0; c < expected.size(); ++c) {
        EXPECT_NEAR(output.Row(row)[c], expected[c], 1e-12) << row << " " << c;
      }
    }
  }
}

// More words than are multiplied at once.
TEST(CharCnnTest, ManyWordsGiveTheSameAsEachAlone) {
  CharCnn<float> cnn(CnnOptions(Activation::kTanh), "cnn", 1);
  std::vector<uint16_t> many;
  for (size_t i = 0; i < 300; ++i) {
    many.insert(many.end(), kWords.begin(), kWords.end());
  }
  ForEachTarget([&] {
    const ConstView<float> output = cnn.Forward(many);
    Matrix<float> copy(output.rows(), output.cols());
    Copy(output, copy.view());
    const ConstView<float> alone = cnn.Forward(kWords);
    for (size_t row = 0; row < copy.rows(); ++row) {
      for (size_t c = 0; c < copy.cols(); ++c) {
        ASSERT_NEAR(copy.Row(row)[c], alone.Row(row % 4)[c], 1e-6);
      }
    }
  });
}

TEST(HighwayTest, EqualsThePlainFormula) {
  constexpr size_t kDim = 5;
  Highway<double> highway(kDim, "highway", 1);
  ParameterList<double> parameters;
  highway.AppendParameters(&parameters);
  Randomize(parameters, 5, 1);
  const Matrix<double> input = RandomMatrix<double>(3, kDim, 8);
  const ConstView<double> output = highway.Forward(input.view());
  for (size_t row = 0; row < 3; ++row) {
    for (size_t c = 0; c < kDim; ++c) {
      double gate = highway.bias().value.data()[c];
      double transform = highway.bias().value.data()[kDim + c];
      for (size_t k = 0; k < kDim; ++k) {
        gate += input.Row(row)[k] * highway.weights().value.Row(k)[c];
        transform +=
            input.Row(row)[k] * highway.weights().value.Row(k)[kDim + c];
      }
      gate = 1 / (1 + std::exp(-gate));
      EXPECT_NEAR(
          output.Row(row)[c],
          gate * std::max(transform, 0.0) + (1 - gate) * input.Row(row)[c],
          1e-12);
    }
  }
}

}  // namespace
}  // namespace firth::nn
