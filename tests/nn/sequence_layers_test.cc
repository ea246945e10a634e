// What all kinds of layers promise to those who read texts with them.

#include "nn/sequence_layers.h"

#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "nn/layers.h"
#include "support/gradient_check.h"

namespace firth::nn {
namespace {

constexpr size_t kSteps = 5;
constexpr size_t kBatch = 3;
constexpr size_t kInputDim = 6;
constexpr size_t kLengths[kBatch] = {5, 1, 3};
constexpr ChunkShape kWhole{kSteps, kBatch, {}};
constexpr ChunkShape kPadded{kSteps, kBatch, kLengths};

struct LayersCase {
  std::string name;
  LayersOptions options;
};

LayersCase Recurrent(const std::string& name, size_t layers,
                     bool residual = false, double dropout = 0,
                     size_t projection = 0, double clip = 0) {
  RecurrentLayers options;
  options.recurrent.units = 5;
  options.recurrent.projection_dim = projection;
  options.recurrent.projection_clip = clip;
  options.layers = layers;
  options.residual = residual;
  options.dropout = dropout;
  return {name, options};
}

LayersCase Transformer(const std::string& name, PositionKind positions,
                       NormPlace norm, size_t context, size_t units = 4,
                       double dropout = 0, bool causal = true) {
  return {name, TransformerLayers{.units = units,
                                  .heads = 2,
                                  .feed_forward = 7,
                                  .layers = 2,
                                  .context = context,
                                  .norm = norm,
                                  .positions = positions,
                                  .causal = causal,
                                  .dropout = dropout}};
}

LayersCase TransformedTop(LayersCase layers) {
  std::get<TransformerLayers>(layers.options).transform_top = true;
  return layers;
}

// They see what is ahead, and have no state.
std::vector<LayersCase> CasesThatLookAhead() {
  return {
      Transformer("ahead_relative", PositionKind::kRelative, NormPlace::kBefore,
                  3, 4, 0, false),
      TransformedTop(Transformer("ahead_transformed", PositionKind::kLearned,
                                 NormPlace::kAfter, 9, 4, 0, false)),
      Transformer("ahead_learnt", PositionKind::kLearned, NormPlace::kAfter, 4,
                  6, .25, false)};
}

std::vector<LayersCase> CasesWithState() {
  return {
      Recurrent("one", 1),
      Recurrent("three", 3),
      Recurrent("residual", 3, true),
      Recurrent("dropout", 2, false, .4),
      Recurrent("elmo", 2, true, .25, 3, .4),
      {"window1", WindowLayers{.window = 1, .units = 4}},
      {"window3", WindowLayers{.window = 3, .units = 4}},
      // Longer than a chunk: words of the state stay in it.
      {"window8", WindowLayers{.window = 8, .units = 4, .layers = 2}},
      {"window_deep", WindowLayers{.window = 3,
                                   .units = 4,
                                   .layers = 3,
                                   .residual = true,
                                   .dropout = .25}},
      Transformer("relative", PositionKind::kRelative, NormPlace::kBefore, 3),
      // Longer than a chunk: steps of the state stay in it.
      Transformer("relative_far", PositionKind::kRelative, NormPlace::kAfter, 8,
                  6, .25),
      Transformer("sinusoidal", PositionKind::kSinusoidal, NormPlace::kAfter,
                  4),
      Transformer("learned", PositionKind::kLearned, NormPlace::kBefore, 7, 4,
                  .25),
      TransformedTop(Transformer("transformed", PositionKind::kRelative,
                                 NormPlace::kBefore, 3))};
}

std::vector<LayersCase> AllCases() {
  std::vector<LayersCase> cases = CasesWithState();
  for (LayersCase& ahead : CasesThatLookAhead()) {
    cases.push_back(std::move(ahead));
  }
  return cases;
}

Matrix<double> CopyOf(ConstView<double> view) {
  Matrix<double> copy(view.rows(), view.cols());
  Copy(view, copy.view());
  return copy;
}

void ExpectNear(ConstView<double> a, ConstView<double> b,
                double tolerance = 1e-13) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (size_t r = 0; r < a.rows(); ++r) {
    for (size_t c = 0; c < a.cols(); ++c) {
      ASSERT_NEAR(a.Row(r)[c], b.Row(r)[c], tolerance) << r << " " << c;
    }
  }
}

void ExpectSameState(LayerState<double>& a, LayerState<double>& b) {
  ASSERT_EQ(a.parts().size(), b.parts().size());
  for (size_t p = 0; p < a.parts().size(); ++p) {
    EXPECT_EQ(a.parts()[p].name, b.parts()[p].name);
    ExpectNear(a[p].view(), b[p].view());
  }
}

class SequenceLayersTest
    : public testing::TestWithParam<std::tuple<LayersCase, bool>> {
 protected:
  bool reversed() const { return std::get<1>(GetParam()); }
  std::unique_ptr<SequenceLayers<double>> Make() const {
    return MakeLayers<double>(std::get<0>(GetParam()).options,
                              {kInputDim, reversed(), "layers", 1});
  }
  // A state that a text has left.
  static LayerState<double> UsedState(SequenceLayers<double>& layers) {
    LayerState<double> state = layers.MakeState(kBatch);
    const Matrix<double> before =
        RandomMatrix<double>(kWhole.rows(), kInputDim, 77);
    layers.Forward(before.view(), kWhole, &state);
    return state;
  }
  static LayerState<double> CopyOfState(SequenceLayers<double>& layers,
                                        LayerState<double>& state) {
    LayerState<double> copy = layers.MakeState(kBatch);
    for (size_t p = 0; p < state.parts().size(); ++p) {
      Copy<double>(state[p].view(), copy[p].view());
    }
    return copy;
  }

  const Matrix<double> input =
      RandomMatrix<double>(kWhole.rows(), kInputDim, 9);
};

// The loss looks at the top and at every layer's output.
TEST_P(SequenceLayersTest, GradientsAreThoseOfDifferences) {
  for (const ChunkShape& shape : {kWhole, kPadded}) {
    const auto layers = Make();
    LayerState<double> first = UsedState(*layers);
    Parameter<double> x("x", shape.rows(), kInputDim);
    ParameterList<double> parameters = {&x};
    layers->AppendParameters(&parameters);
    Randomize(parameters, 20);
    std::vector<Matrix<double>> weights;
    for (size_t l = 0; l <= layers->num_layers(); ++l) {
      weights.push_back(
          RandomMatrix<double>(shape.rows(), layers->output_dim(), 40 + l));
    }
    // What stands behind a sequence is no output.
    for (size_t row = 0; row < shape.rows(); ++row) {
      if (row / kBatch < shape.length(row % kBatch)) continue;
      for (auto& matrix : weights) SetZero(matrix.view().Rows(row, 1));
    }
    const auto loss = [&] {
      LayerState<double> state = CopyOfState(*layers, first);
      double sum = WeightedSum(
          layers->Forward(x.value.view(), shape, &state, DropoutKey(99)),
          weights.back().view());
      for (size_t l = 0; l < layers->num_layers(); ++l) {
        sum += WeightedSum(layers->output(l), weights[l].view());
      }
      return sum;
    };
    loss();
    std::vector<ConstView<double>> d_outputs;
    for (size_t l = 0; l < layers->num_layers(); ++l) {
      d_outputs.emplace_back(weights[l].view());
    }
    layers->Backward(weights.back().view(), d_outputs, x.gradient.view());
    ExpectGradients(parameters, loss);
  }
}

using StatefulLayersTest = SequenceLayersTest;

TEST_P(StatefulLayersTest, StateFromChunkToChunkIsOneLongChunk) {
  const auto layers = Make();
  LayerState<double> whole = UsedState(*layers);
  LayerState<double> state = CopyOfState(*layers, whole);
  const Matrix<double> expected =
      CopyOf(layers->Forward(input.view(), kWhole, &whole));
  for (const size_t step : {0, 1, 2, 3, 4}) {
    const size_t row = (reversed() ? kSteps - 1 - step : step) * kBatch;
    const ConstView<double> top = layers->Forward(
        input.view().Rows(row, kBatch), {1, kBatch, {}}, &state);
    ExpectNear(top, expected.view().Rows(row, kBatch));
  }
  ExpectSameState(state, whole);
}

// A sequence gives the same, and leaves the same state, whatever stands beside
// and behind it.
TEST_P(SequenceLayersTest, PaddingChangesNothing) {
  const auto layers = Make();
  LayerState<double> state = UsedState(*layers);
  LayerState<double> first = CopyOfState(*layers, state);
  const Matrix<double> tops =
      CopyOf(layers->Forward(input.view(), kPadded, &state));
  for (size_t b = 0; b < kBatch; ++b) {
    Matrix<double> rows(kLengths[b], kInputDim);
    for (size_t t = 0; t < kLengths[b]; ++t) {
      Copy<double>(input.view().Rows(t * kBatch + b, 1),
                   rows.view().Rows(t, 1));
    }
    LayerState<double> own = CopyOfState(*layers, first);
    own.KeepRows({b});
    const ConstView<double> expected =
        layers->Forward(rows.view(), {kLengths[b], 1, {}}, &own);
    for (size_t t = 0; t < kLengths[b]; ++t) {
      ExpectNear(tops.view().Rows(t * kBatch + b, 1), expected.Rows(t, 1));
    }
    for (size_t p = 0; p < own.parts().size(); ++p) {
      ExpectNear(state[p].view().Rows(b, 1), own[p].view());
    }
  }
}

TEST_P(StatefulLayersTest, ResetRowStartsOneSequenceAnew) {
  const auto layers = Make();
  LayerState<double> fresh = layers->MakeState(kBatch);
  LayerState<double> state = UsedState(*layers);
  LayerState<double> kept = CopyOfState(*layers, state);
  state.ResetRow(1);
  const Matrix<double> found =
      CopyOf(layers->Forward(input.view(), kWhole, &state));
  const Matrix<double> anew =
      CopyOf(layers->Forward(input.view(), kWhole, &fresh));
  const Matrix<double> on =
      CopyOf(layers->Forward(input.view(), kWhole, &kept));
  for (size_t row = 0; row < kWhole.rows(); ++row) {
    const Matrix<double>& expected = row % kBatch == 1 ? anew : on;
    ExpectNear(found.view().Rows(row, 1), expected.view().Rows(row, 1));
  }
}

TEST_P(StatefulLayersTest, KeptRowsGoOnAsTheirParents) {
  constexpr size_t kParents[] = {2, 0, 2, 1};
  const auto layers = Make();
  LayerState<double> state = UsedState(*layers);
  LayerState<double> kept = CopyOfState(*layers, state);
  kept.KeepRows(kParents);
  Matrix<double> rows(4, kInputDim);
  for (size_t k = 0; k < 4; ++k) {
    Copy<double>(input.view().Rows(kParents[k], 1), rows.view().Rows(k, 1));
  }
  const Matrix<double> expected = CopyOf(
      layers->Forward(input.view().Rows(0, kBatch), {1, kBatch, {}}, &state));
  const ConstView<double> found =
      layers->Forward(rows.view(), {1, 4, {}}, &kept);
  for (size_t k = 0; k < 4; ++k) {
    ExpectNear(found.Rows(k, 1), expected.view().Rows(kParents[k], 1));
  }
}

TEST_P(SequenceLayersTest, ReversedIsForwardOverReversedInput) {
  const auto layers = Make();
  const auto other = MakeLayers<double>(std::get<0>(GetParam()).options,
                                        {kInputDim, !reversed(), "layers", 1});
  Matrix<double> turned(input.rows(), kInputDim);
  for (size_t t = 0; t < kSteps; ++t) {
    Copy<double>(input.view().Rows(t * kBatch, kBatch),
                 turned.view().Rows((kSteps - 1 - t) * kBatch, kBatch));
  }
  LayerState<double> state = layers->MakeState(kBatch);
  LayerState<double> other_state = other->MakeState(kBatch);
  const ConstView<double> found = layers->Forward(input.view(), kWhole, &state);
  const ConstView<double> expected =
      other->Forward(turned.view(), kWhole, &other_state);
  for (size_t t = 0; t < kSteps; ++t) {
    ExpectNear(found.Rows(t * kBatch, kBatch),
               expected.Rows((kSteps - 1 - t) * kBatch, kBatch));
  }
  ExpectSameState(state, other_state);
}

// A text of more than one piece, of which sequences end in different ones.
TEST_P(StatefulLayersTest, PiecesOfALongTextGiveWhatOneChunkGives) {
  constexpr size_t kLong = 1500;
  constexpr size_t kEnds[] = {kLong, 700, 2};
  const ChunkShape shape{kLong, kBatch, kEnds};
  const Matrix<double> text = RandomMatrix<double>(shape.rows(), kInputDim, 3);
  const auto layers = Make();
  LayerState<double> whole = layers->MakeState(kBatch);
  const Matrix<double> expected =
      CopyOf(layers->Forward(text.view(), shape, &whole));
  LayerState<double> state = layers->MakeState(kBatch);
  size_t pieces = 0, steps = 0;
  layers->Read(text.view(), shape, &state,
               [&](size_t first, ConstView<double> piece) {
                 ++pieces;
                 steps += piece.rows() / kBatch;
                 for (size_t r = 0; r < piece.rows(); ++r) {
                   const size_t row = first * kBatch + r;
                   if (row / kBatch >= kEnds[row % kBatch]) continue;
                   ExpectNear(piece.Rows(r, 1), expected.view().Rows(row, 1));
                 }
               });
  EXPECT_GT(pieces, 1u);
  EXPECT_EQ(steps, kLong);
  ExpectSameState(state, whole);
}

// Nothing before, and nothing behind.
TEST_P(SequenceLayersTest, NoStateIsAFreshOne) {
  const auto layers = Make();
  LayerState<double> state = layers->MakeState(kBatch);
  const Matrix<double> expected =
      CopyOf(layers->Forward(input.view(), kPadded, &state));
  const ConstView<double> found =
      layers->Forward(input.view(), kPadded, nullptr);
  for (size_t row = 0; row < kPadded.rows(); ++row) {
    if (row / kBatch >= kPadded.length(row % kBatch)) continue;
    ExpectNear(found.Rows(row, 1), expected.view().Rows(row, 1));
  }
}

std::string NameOf(
    const testing::TestParamInfo<std::tuple<LayersCase, bool>>& info) {
  return std::get<0>(info.param).name +
         (std::get<1>(info.param) ? "_reversed" : "_forward");
}
INSTANTIATE_TEST_SUITE_P(AllKinds, SequenceLayersTest,
                         testing::Combine(testing::ValuesIn(AllCases()),
                                          testing::Bool()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(KindsWithState, StatefulLayersTest,
                         testing::Combine(testing::ValuesIn(CasesWithState()),
                                          testing::Bool()),
                         NameOf);

// By the formula: the words at a step, the last one first, and none before the
// text.
TEST(WindowLayersTest, ReadsTheLastWordsAndNothingBefore) {
  constexpr size_t kWindow = 3;
  const auto layers = MakeLayers<double>(
      WindowLayers{.window = kWindow, .units = 2}, {1, false, "w", 1});
  ParameterList<double> parameters;
  layers->AppendParameters(&parameters);
  ASSERT_EQ(parameters.size(), 2u);
  Randomize(parameters, 5);
  const Matrix<double>& weights = parameters[0]->value;
  const double* const bias = parameters[1]->value.data();
  const Matrix<double> text = RandomMatrix<double>(6, 1, 8);
  LayerState<double> state = layers->MakeState(1);
  const ConstView<double> top =
      layers->Forward(text.view(), {6, 1, {}}, &state);
  for (size_t t = 0; t < 6; ++t) {
    for (size_t u = 0; u < 2; ++u) {
      double sum = bias[u];
      for (size_t j = 0; j < kWindow && j <= t; ++j) {
        sum += weights.Row(j)[u] * text.Row(t - j)[0];
      }
      EXPECT_NEAR(top.Row(t)[u], std::tanh(sum), 1e-14);
    }
  }
  ASSERT_EQ(state.parts().size(), 1u);
  EXPECT_EQ(state.parts()[0].name, "0.inputs");
  EXPECT_EQ(state[0].Row(0)[0], text.Row(5)[0]);
  EXPECT_EQ(state[0].Row(0)[1], text.Row(4)[0]);
}

// Exactly as many parameters as are made, but for biases.
TEST(LayersTest, ParametersAreCounted) {
  for (const LayersCase& test : AllCases()) {
    SCOPED_TRACE(test.name);
    const auto layers =
        MakeLayers<float>(test.options, {kInputDim, false, "l", 1});
    ParameterList<float> parameters;
    layers->AppendParameters(&parameters);
    size_t values = 0;
    for (const Parameter<float>* parameter : parameters) {
      if (parameter->value.rows() > 1) values += parameter->value.size();
    }
    EXPECT_EQ(CountParameters(test.options, kInputDim), values);
  }
}

}  // namespace
}  // namespace firth::nn
