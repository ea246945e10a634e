#include "nn/transformer.h"

#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "support/golden_data.h"
#include "support/gradient_check.h"

namespace firth::nn {
namespace {

constexpr size_t kBatch = 3, kUnits = 16;

TransformerLayers GoldenOptions(bool norm_first, Activation activation) {
  return {.units = kUnits,
          .heads = 4,
          .feed_forward = 32,
          .norm = norm_first ? NormPlace::kBefore : NormPlace::kAfter,
          .activation = activation,
          .epsilon = 1e-5};
}

// What PyTorch calls a block's parameters, in our order.
std::vector<std::string> TorchNames(bool decodes) {
  std::vector<std::string> names;
  const auto attention = [&](const std::string& name) {
    for (const char* part : {".in_proj_weight", ".in_proj_bias",
                             ".out_proj.weight", ".out_proj.bias"}) {
      names.push_back(name + part);
    }
  };
  attention("self_attn");
  names.insert(names.end(), {"norm1.weight", "norm1.bias"});
  if (decodes) {
    attention("multihead_attn");
    names.insert(names.end(), {"norm2.weight", "norm2.bias"});
  }
  names.insert(names.end(), {"linear1.weight", "linear1.bias", "linear2.weight",
                             "linear2.bias"});
  const std::string last = decodes ? "norm3" : "norm2";
  names.insert(names.end(), {last + ".weight", last + ".bias"});
  return names;
}

template <class T>
Matrix<T> ReadParameter(const GoldenFile& golden, const std::string& name) {
  const bool is_matrix = name.find("norm") == std::string::npos &&
                         name.find("weight") != std::string::npos;
  return is_matrix ? golden.ReadTransposed<T>(name) : golden.Read<T>(name);
}

template <class T>
void ExpectGoldenBlock(const std::string& name, TransformerLayers options,
                       bool decodes) {
  options.decodes = decodes;
  const GoldenFile golden(name);
  if (!golden.here()) GTEST_SKIP() << "FIRTH_DATA is not set";
  TransformerBlock<T> block(options, "block", 1);
  ParameterList<T> parameters;
  block.AppendParameters(&parameters);
  const std::vector<std::string> names = TorchNames(decodes);
  ASSERT_EQ(parameters.size(), names.size());
  for (size_t p = 0; p < names.size(); ++p) {
    parameters[p]->value = ReadParameter<T>(golden, "param." + names[p]);
  }
  const Matrix<T> x = golden.ReadTimeMajor<T>("input.x", kBatch);
  const std::vector<size_t> lengths =
      golden.ReadSizes(decodes ? "memory_lengths" : "lengths");
  const ChunkShape shape{
      x.rows() / kBatch, kBatch,
      decodes ? absl::Span<const size_t>() : absl::MakeConstSpan(lengths)};
  Matrix<T> memory;
  AttendedMemory<T> attended;
  if (decodes) {
    memory = golden.ReadTimeMajor<T>("input.memory", kBatch);
    attended = {memory.view(), {memory.rows() / kBatch, kBatch, lengths}};
  }
  const AttendedMemory<T>* const seen = decodes ? &attended : nullptr;
  const ConstView<T> output = block.Forward(
      x.view(), shape, {.causal = decodes}, nullptr, nullptr, seen, true, {});
  const Matrix<T> expected = golden.ReadTimeMajor<T>("output", kBatch);
  Matrix<T> gradient = golden.ReadTimeMajor<T>("w", kBatch);
  for (size_t row = 0; row < x.rows(); ++row) {
    if (row / kBatch < shape.length(row % kBatch)) {
      ExpectClose<T>(output.Rows(row, 1), expected.view().Rows(row, 1), 2e-6,
                     name);
    } else {
      SetZero(gradient.view().Rows(row, 1));
    }
  }
  Matrix<T> d_memory(memory.rows(), kUnits);
  block.Backward(gradient.view(), seen, d_memory.view());
  ExpectRelativelyClose<T>(gradient.view(),
                           golden.ReadTimeMajor<T>("grad.x", kBatch).view(),
                           2e-5, name);
  if (decodes) {
    ExpectRelativelyClose<T>(
        d_memory.view(), golden.ReadTimeMajor<T>("grad.memory", kBatch).view(),
        2e-5, name + " memory");
  }
  for (size_t p = 0; p < names.size(); ++p) {
    ExpectRelativelyClose<T>(
        parameters[p]->gradient.view(),
        ReadParameter<T>(golden, "grad." + names[p]).view(), 2e-5,
        name + " " + names[p]);
  }
}

TEST(TransformerBlockTest, EncoderLayersAgreeWithGoldenData) {
  const auto expect = [](const std::string& name, bool norm_first,
                         Activation activation) {
    const TransformerLayers options = GoldenOptions(norm_first, activation);
    ExpectGoldenBlock<float>(name, options, false);
    ExpectGoldenBlock<double>(name, options, false);
  };
  expect("encoder_layer_post_relu", false, Activation::kRelu);
  expect("encoder_layer_post_gelu", false, Activation::kGelu);
  expect("encoder_layer_pre_gelu", true, Activation::kGelu);
}

TEST(TransformerBlockTest, DecoderLayersAgreeWithGoldenData) {
  const auto expect = [](const std::string& name, bool norm_first,
                         Activation activation) {
    const TransformerLayers options = GoldenOptions(norm_first, activation);
    ExpectGoldenBlock<float>(name, options, true);
    ExpectGoldenBlock<double>(name, options, true);
  };
  expect("decoder_layer_post_relu", false, Activation::kRelu);
  expect("decoder_layer_pre_gelu", true, Activation::kGelu);
}

TEST(TransformerBlockTest, GradientsOfADecoderAreThoseOfDifferences) {
  constexpr size_t kLengths[kBatch] = {4, 1, 2};
  constexpr size_t kMemoryLengths[kBatch] = {3, 5, 1};
  const ChunkShape shape{4, kBatch, kLengths};
  const ChunkShape memory_shape{5, kBatch, kMemoryLengths};
  TransformerLayers options = GoldenOptions(true, Activation::kGeluTanh);
  options.units = 6;
  options.heads = 3;
  options.dropout = .3;
  options.attention_dropout = .4;
  options.decodes = true;
  TransformerBlock<double> block(options, "block", 1);
  Parameter<double> x("x", shape.rows(), 6);
  Parameter<double> memory("memory", memory_shape.rows(), 6);
  ParameterList<double> parameters = {&x, &memory};
  block.AppendParameters(&parameters);
  Randomize(parameters, 7);
  Matrix<double> weights = RandomMatrix<double>(shape.rows(), 6, 9);
  for (size_t row = 0; row < shape.rows(); ++row) {
    if (row / kBatch < kLengths[row % kBatch]) continue;
    SetZero(weights.view().Rows(row, 1));
  }
  const AttendedMemory<double> attended{memory.value.view(), memory_shape};
  const auto loss = [&] {
    return WeightedSum(
        block.Forward(x.value.view(), shape, {.causal = true}, nullptr, nullptr,
                      &attended, true, DropoutKey(5)),
        weights.view());
  };
  loss();
  Copy<double>(weights.view(), x.gradient.view());
  block.Backward(x.gradient.view(), &attended, memory.gradient.view());
  ExpectGradients(parameters, loss);
}

// The first sum over all parts is as large as one of them without the scale.
TEST(TransformerTest, WhatPartsAddIsSmallerTheMoreThereAre) {
  const auto deviations = [](NormPlace norm) {
    const TransformerLayers options{.units = 64,
                                    .heads = 2,
                                    .feed_forward = 64,
                                    .layers = 8,
                                    .context = 4,
                                    .norm = norm};
    const auto layers = MakeLayers<double>(options, {64, false, "t", 1});
    ParameterList<double> parameters;
    layers->AppendParameters(&parameters);
    std::map<std::string, double> found;
    for (const Parameter<double>* parameter : parameters) {
      const Matrix<double>& value = parameter->value;
      found[parameter->name] =
          std::sqrt(DotProduct(value.size(), value.data(), value.data()) /
                    static_cast<double>(value.size()));
    }
    return found;
  };
  const auto before = deviations(NormPlace::kBefore);
  const auto after = deviations(NormPlace::kAfter);
  for (const char* name :
       {"t.0.attention.output.weights", "t.7.feed_forward.outer.weights"}) {
    EXPECT_NEAR(before.at(name), 1.0 / 8 / 4, 1e-3) << name;  // 16 parts
    EXPECT_NEAR(after.at(name), 1.0 / 8, 4e-3) << name;
  }
  for (const char* name :
       {"t.0.attention.input.weights", "t.7.feed_forward.inner.weights"}) {
    EXPECT_NEAR(before.at(name), 1.0 / 8, 4e-3) << name;
  }
}

// A text longer than the context gives what its blocks give by themselves.
TEST(TransformerTest, PositionVectorsCutATextIntoBlocks) {
  for (const PositionKind kind :
       {PositionKind::kLearned, PositionKind::kSinusoidal}) {
    const TransformerLayers options{.units = 4,
                                    .heads = 2,
                                    .feed_forward = 8,
                                    .layers = 2,
                                    .context = 5,
                                    .positions = kind};
    const auto layers = MakeLayers<double>(options, {4, false, "t", 1});
    const Matrix<double> text = RandomMatrix<double>(12, 4, 2);
    Matrix<double> whole(12, 4);
    Copy(layers->Forward(text.view(), {12, 1, {}}, nullptr), whole.view());
    for (const size_t first : {0, 5, 10}) {
      const size_t count = std::min<size_t>(5, 12 - first);
      ExpectClose(layers->Forward(text.view().Rows(first, count),
                                  {count, 1, {}}, nullptr),
                  std::as_const(whole).view().Rows(first, count), 1e-13,
                  "block");
    }
  }
}

// Until a training step, after which it is made of what is there.
TEST(TransformerTest, WhatIsPackedIsReadTheSame) {
  const TransformerLayers options{
      .units = 8, .heads = 2, .feed_forward = 16, .layers = 2, .context = 5};
  const auto layers = MakeLayers<float>(options, {8, false, "t", 1});
  ParameterList<float> parameters;
  layers->AppendParameters(&parameters);
  const Matrix<float> text = RandomMatrix<float>(12, 8, 2);
  const auto read = [&] {
    Matrix<float> top(12, 8);
    layers->Read(
        text.view(), {12, 1, {}}, nullptr,
        [&](size_t, ConstView<float> rows) { Copy(rows, top.view()); });
    return top;
  };
  const Matrix<float> plain = read();
  layers->ParametersStay();
  ExpectClose<float>(read().view(), plain.view(), 1e-5, "packed");
  layers->Forward(text.view(), {12, 1, {}}, nullptr, DropoutKey(1));
  for (Parameter<float>* parameter : parameters) {
    for (size_t i = 0; i < parameter->value.size(); ++i) {
      parameter->value.data()[i] *= 1.5f;
    }
  }
  const Matrix<float> changed = read();
  EXPECT_GT(std::abs(changed.Row(3)[1] - plain.Row(3)[1]), 1e-3);
  layers->ParametersStay();
  ExpectClose<float>(read().view(), changed.view(), 1e-5, "packed again");
}

// The gradient by each number that is learned, and by the input, for the top's
// rows 1, 2, 7, 8 and 12 of three sequences.
std::vector<Matrix<double>> GradientsByFewRows(const TransformerLayers& options,
                                               bool ask, Matrix<double>* tops) {
  constexpr uint32_t kRows[] = {1, 2, 7, 8, 12};
  constexpr size_t kLengths[] = {5, 4, 3};
  const auto layers = MakeLayers<double>(options, {8, false, "t", 1});
  const Matrix<double> text = RandomMatrix<double>(15, 8, 2);
  const Matrix<double> weights = RandomMatrix<double>(15, 8, 3);
  ChunkShape shape{5, 3, kLengths};
  if (ask) shape.asked = kRows;
  const ConstView<double> top = layers->Forward(text.view(), shape, nullptr);
  tops->Resize(std::size(kRows), 8);
  Matrix<double> d_top(15, 8);
  for (size_t k = 0; k < std::size(kRows); ++k) {
    Copy(top.Rows(kRows[k], 1), tops->view().Rows(k, 1));
    Copy(weights.view().Rows(kRows[k], 1), d_top.view().Rows(kRows[k], 1));
  }
  std::vector<Matrix<double>> gradients;
  layers->Backward(d_top.view(), {}, gradients.emplace_back(15, 8).view());
  ParameterList<double> parameters;
  layers->AppendParameters(&parameters);
  for (Parameter<double>* parameter : parameters) {
    const View<double> from = parameter->gradient.view();
    Copy<double>(from, gradients.emplace_back(from.rows(), from.cols()).view());
  }
  return gradients;
}

TEST(TransformerTest, RowsThatAreAskedForAreTheSameAlone) {
  for (const NormPlace norm : {NormPlace::kBefore, NormPlace::kAfter}) {
    for (const PositionKind positions :
         {PositionKind::kRelative, PositionKind::kLearned}) {
      for (const bool transform_top : {false, true}) {
        // Longer sequences than the context.
        const TransformerLayers options{.units = 8,
                                        .heads = 2,
                                        .feed_forward = 12,
                                        .layers = 2,
                                        .context = 3,
                                        .norm = norm,
                                        .positions = positions,
                                        .causal = false,
                                        .transform_top = transform_top};
        Matrix<double> all_tops, tops;
        const auto all = GradientsByFewRows(options, false, &all_tops);
        const auto asked = GradientsByFewRows(options, true, &tops);
        ExpectClose<double>(tops.view(), all_tops.view(), 1e-13, "top");
        ASSERT_EQ(asked.size(), all.size());
        for (size_t p = 0; p < all.size(); ++p) {
          ExpectClose<double>(asked[p].view(), all[p].view(), 1e-12,
                              "gradient");
        }
      }
    }
  }
}

// In the first layer; each layer above sees as far again.
TEST(TransformerTest, RelativePositionsSlide) {
  for (const bool causal : {true, false}) {
    const TransformerLayers options{.units = 4,
                                    .heads = 2,
                                    .feed_forward = 8,
                                    .context = 3,
                                    .causal = causal};
    const auto layers = MakeLayers<double>(options, {4, false, "t", 1});
    Matrix<double> text = RandomMatrix<double>(9, 4, 2);
    Matrix<double> before(9, 4);
    Copy(layers->Forward(text.view(), {9, 1, {}}, nullptr), before.view());
    text.Row(4)[1] += 1;
    const ConstView<double> after =
        layers->Forward(text.view(), {9, 1, {}}, nullptr);
    for (size_t t = 0; t < 9; ++t) {
      const bool sees = t < 7 && t >= (causal ? 4 : 2);
      EXPECT_EQ(after.Row(t)[0] != before.Row(t)[0], sees) << t;
    }
  }
}

}  // namespace
}  // namespace firth::nn
