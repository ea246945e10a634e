// All cells, each with everything that Recurrent adds to it.

#include "nn/recurrent.h"

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "nn/plain_cells.h"
#include "support/gradient_check.h"
#include "support/targets.h"

namespace firth::nn {
namespace {

constexpr size_t kSteps = 5;
constexpr size_t kBatch = 3;
constexpr size_t kInputDim = 4;
constexpr size_t kUnits = 5;
constexpr size_t kProjected = 3;
constexpr size_t kLengths[kBatch] = {5, 2, 4};

struct Variant {
  const char* name;
  size_t projection_dim = 0;
  double cell_clip = 0;
  double projection_clip = 0;
  bool reversed = false;
  bool padded = false;
};

constexpr Variant kVariants[] = {
    {.name = "plain"},
    {.name = "projection", .projection_dim = kProjected},
    {.name = "cell_clip", .cell_clip = 0.5},
    {.name = "projection_clip",
     .projection_dim = kProjected,
     .cell_clip = 0.5,
     .projection_clip = 0.2},
    {.name = "inactive_clip",
     .projection_dim = kProjected,
     .cell_clip = 30,
     .projection_clip = 30},
    {.name = "reversed", .reversed = true},
    {.name = "padded", .padded = true},
    {.name = "reversed_padded_projection",
     .projection_dim = kProjected,
     .projection_clip = 0.3,
     .reversed = true,
     .padded = true},
};

RecurrentOptions OptionsOf(CellKind cell, const Variant& variant) {
  RecurrentOptions options;
  options.cell = cell;
  options.input_dim = kInputDim;
  options.units = kUnits;
  options.projection_dim = variant.projection_dim;
  options.cell_clip = variant.cell_clip;
  options.projection_clip = variant.projection_clip;
  options.reversed = variant.reversed;
  return options;
}

ChunkShape ShapeFor(const Variant& variant) {
  ChunkShape shape{kSteps, kBatch, {}};
  if (variant.padded) shape.lengths = kLengths;
  return shape;
}

template <class T>
ParameterList<T> ParametersOf(Recurrent<T>& layer) {
  ParameterList<T> list;
  layer.AppendParameters(&list);
  return list;
}

template <class T>
LayerState<T> StateOf(const Recurrent<T>& layer, size_t batch) {
  LayerState<T> state;
  layer.AppendState("", batch, &state);
  return state;
}

class RecurrentCellTest
    : public testing::TestWithParam<std::tuple<size_t, Variant>> {
 protected:
  CellKind cell() const {
    return static_cast<CellKind>(std::get<0>(GetParam()));
  }
  const Variant& variant() const { return std::get<1>(GetParam()); }
};

// The loss looks at every output and at the last state; the first state is not
// zero, and its gradient is checked too.
TEST_P(RecurrentCellTest, GradientsAreThoseOfDifferences) {
  const RecurrentOptions options = OptionsOf(cell(), variant());
  const ChunkShape shape = ShapeFor(variant());
  Recurrent<double> layer(options, "layer", 1);
  ParameterList<double> parameters = ParametersOf(layer);
  Parameter<double> input("x", shape.rows(), kInputDim);
  Parameter<double> first_output("out'", kBatch, options.output_dim());
  Parameter<double> first_state("state'", kBatch, kUnits);
  parameters.insert(parameters.end(), {&input, &first_output});
  // The simple network has no state but its output.
  if (cell() != CellKind::kTanh) parameters.push_back(&first_state);
  Randomize(parameters, 7, 0.8);
  const Matrix<double> weights =
      RandomMatrix<double>(shape.rows(), options.output_dim(), 51);
  LayerState<double> last_weights = StateOf(layer, kBatch);
  FillNormal(1, 52, last_weights[0]);
  FillNormal(1, 53, last_weights[1]);

  LayerState<double> state = StateOf(layer, kBatch);
  const auto loss = [&] {
    Copy<double>(first_output.value.view(), state[0].view());
    Copy<double>(first_state.value.view(), state[1].view());
    const ConstView<double> output =
        layer.Forward(input.value.view(), shape, state.parts());
    return WeightedSum(output, weights.view()) +
           WeightedSum(state[0].view(), last_weights[0].view()) +
           WeightedSum(state[1].view(), last_weights[1].view());
  };
  loss();
  LayerState<double> d_state = StateOf(layer, kBatch);
  Copy<double>(last_weights[0].view(), d_state[0].view());
  Copy<double>(last_weights[1].view(), d_state[1].view());
  layer.Backward(input.value.view(), weights.view(), input.gradient.view(),
                 d_state.parts());
  Copy<double>(d_state[0].view(), first_output.gradient.view());
  Copy<double>(d_state[1].view(), first_state.gradient.view());
  ExpectGradients(parameters, loss);
}

TEST_P(RecurrentCellTest, OutputsAreThoseOfThePlainFormulas) {
  const RecurrentOptions options = OptionsOf(cell(), variant());
  const ChunkShape shape = ShapeFor(variant());
  Recurrent<double> layer(options, "layer", 1);
  Randomize(ParametersOf(layer), 3);
  const Matrix<double> input = RandomMatrix<double>(shape.rows(), kInputDim, 4);
  LayerState<double> state = StateOf(layer, kBatch);
  const ConstView<double> output =
      layer.Forward(input.view(), shape, state.parts());
  for (size_t b = 0; b < kBatch; ++b) {
    PlainRecurrent plain(layer);
    const size_t length = variant().padded ? kLengths[b] : kSteps;
    for (size_t k = 0; k < length; ++k) {
      const size_t t = variant().reversed ? length - 1 - k : k;
      const size_t row = t * kBatch + b;
      const std::vector<double>& expected = plain.Step(input.Row(row));
      for (size_t c = 0; c < output.cols(); ++c) {
        ASSERT_NEAR(output.Row(row)[c], expected[c], 1e-12)
            << "step " << t << " sequence " << b;
      }
    }
  }
}

// The vector kernels, with lengths that leave a rest, against the doubles.
TEST_P(RecurrentCellTest, FloatsEqualDoublesOnEveryTarget) {
  RecurrentOptions options = OptionsOf(cell(), variant());
  options.units = 35;
  const ChunkShape shape = ShapeFor(variant());
  Recurrent<double> exact(options, "layer", 1);
  Recurrent<float> fast(options, "layer", 1);
  const ParameterList<double> exact_list = ParametersOf(exact);
  const ParameterList<float> fast_list = ParametersOf(fast);
  Randomize(fast_list, 3, 0.3);
  for (size_t p = 0; p < fast_list.size(); ++p) {
    std::copy_n(fast_list[p]->value.data(), fast_list[p]->value.size(),
                exact_list[p]->value.data());
  }
  const Matrix<float> input = RandomMatrix<float>(shape.rows(), kInputDim, 4);
  Matrix<double> exact_input(shape.rows(), kInputDim);
  std::copy_n(input.data(), input.size(), exact_input.data());
  LayerState<double> exact_state = StateOf(exact, kBatch);
  const ConstView<double> expected =
      exact.Forward(exact_input.view(), shape, exact_state.parts());
  Matrix<double> d_exact(shape.rows(), kInputDim);
  exact.Backward(exact_input.view(), expected, d_exact.view());
  ForEachTarget([&] {
    LayerState<float> state = StateOf(fast, kBatch);
    const ConstView<float> output =
        fast.Forward(input.view(), shape, state.parts());
    for (size_t r = 0; r < output.rows(); ++r) {
      for (size_t c = 0; c < output.cols(); ++c) {
        ASSERT_NEAR(output.Row(r)[c], expected.Row(r)[c], 2e-6);
      }
    }
    Matrix<float> d_input(shape.rows(), kInputDim);
    ClearGradients(fast_list);
    fast.Backward(input.view(), output, d_input.view());
    for (size_t i = 0; i < d_input.size(); ++i) {
      ASSERT_NEAR(d_input.data()[i], d_exact.data()[i], 2e-5);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(
    AllCells, RecurrentCellTest,
    testing::Combine(testing::Range<size_t>(0, kCellNames.size()),
                     testing::ValuesIn(kVariants)),
    [](const auto& info) {
      std::string name(kCellNames[std::get<0>(info.param)]);
      for (char& c : name) {
        if (c == '-') c = '_';
      }
      return name + "_" + std::get<1>(info.param).name;
    });

// --- Identities -----------------------------------------------------------

Matrix<double> OutputsOf(Recurrent<double>& layer, ConstView<double> input,
                         const ChunkShape& shape) {
  LayerState<double> state = StateOf(layer, shape.batch);
  const ConstView<double> output = layer.Forward(input, shape, state.parts());
  Matrix<double> copy(output.rows(), output.cols());
  Copy(output, copy.view());
  return copy;
}

void ExpectNear(ConstView<double> a, ConstView<double> b, double tolerance) {
  ASSERT_EQ(a.rows(), b.rows());
  for (size_t r = 0; r < a.rows(); ++r) {
    for (size_t c = 0; c < a.cols(); ++c) {
      EXPECT_NEAR(a.Row(r)[c], b.Row(r)[c], tolerance) << r << " " << c;
    }
  }
}

RecurrentOptions PlainOptions(CellKind cell) {
  return OptionsOf(cell, kVariants[0]);
}

constexpr ChunkShape kShape{kSteps, kBatch, {}};

struct IdentityTest : testing::Test {
  const Matrix<double> input =
      RandomMatrix<double>(kShape.rows(), kInputDim, 9);
};

TEST_F(IdentityTest, PeepholesOfZeroAreNone) {
  Recurrent<double> lstm(PlainOptions(CellKind::kLstm), "a", 1);
  const Matrix<double> expected = OutputsOf(lstm, input.view(), kShape);
  for (const CellKind kind :
       {CellKind::kPeepholeLstm, CellKind::kFullPeepholeLstm}) {
    Recurrent<double> peephole(PlainOptions(kind), "a", 1);
    for (size_t w = 0; w < 3; ++w) peephole.state_weights(w).value.Fill(0);
    ExpectNear(OutputsOf(peephole, input.view(), kShape).view(),
               expected.view(), 1e-14);
  }
}

TEST_F(IdentityTest, FullPeepholesOfDiagonalMatricesAreDiagonalOnes) {
  Recurrent<double> diagonal(PlainOptions(CellKind::kPeepholeLstm), "a", 1);
  Recurrent<double> full(PlainOptions(CellKind::kFullPeepholeLstm), "a", 1);
  for (size_t w = 0; w < 3; ++w) {
    FillNormal(1, 70 + w, diagonal.state_weights(w).value);
    full.state_weights(w).value.Fill(0);
    for (size_t u = 0; u < kUnits; ++u) {
      full.state_weights(w).value.Row(u)[u] =
          diagonal.state_weights(w).value.data()[u];
    }
  }
  ExpectNear(OutputsOf(full, input.view(), kShape).view(),
             OutputsOf(diagonal, input.view(), kShape).view(), 1e-14);
}

// Copies `planes` columns of units, each from plane from[p] with factor
// sign[p].
void CopyPlanes(const Matrix<double>& from, const std::vector<size_t>& planes,
                const std::vector<double>& signs, Matrix<double>* to) {
  for (size_t r = 0; r < to->rows(); ++r) {
    for (size_t p = 0; p < planes.size(); ++p) {
      for (size_t u = 0; u < kUnits; ++u) {
        to->Row(r)[p * kUnits + u] =
            signs[p] * from.Row(r)[planes[p] * kUnits + u];
      }
    }
  }
}

TEST_F(IdentityTest, CoupledIsAnLstmWhoseForgetGateIsTheOther) {
  Recurrent<double> coupled(PlainOptions(CellKind::kCoupledLstm), "a", 1);
  Recurrent<double> lstm(PlainOptions(CellKind::kLstm), "a", 2);
  Randomize(ParametersOf(coupled), 30);
  const std::vector<size_t> planes = {0, 1, 0, 2};
  const std::vector<double> signs = {1, 1, -1, 1};
  CopyPlanes(coupled.input_weights().value, planes, signs,
             &lstm.input_weights().value);
  CopyPlanes(coupled.recurrent_weights().value, planes, signs,
             &lstm.recurrent_weights().value);
  CopyPlanes(coupled.bias().value, planes, signs, &lstm.bias().value);
  ExpectNear(OutputsOf(lstm, input.view(), kShape).view(),
             OutputsOf(coupled, input.view(), kShape).view(), 1e-14);
}

TEST_F(IdentityTest, ProjectionByOnesOnTheDiagonalIsNone) {
  for (size_t kind = 0; kind < kCellNames.size(); ++kind) {
    RecurrentOptions options = PlainOptions(static_cast<CellKind>(kind));
    Recurrent<double> plain(options, "a", 1);
    options.projection_dim = kUnits;
    Recurrent<double> projected(options, "a", 1);
    projected.projection()->value.Fill(0);
    for (size_t u = 0; u < kUnits; ++u) {
      projected.projection()->value.Row(u)[u] = 1;
    }
    const ParameterList<double> from = ParametersOf(plain);
    const ParameterList<double> to = ParametersOf(projected);
    for (size_t p = 0; p < from.size(); ++p) {
      Copy<double>(from[p]->value.view(), to[p]->value.view());
    }
    ExpectNear(OutputsOf(projected, input.view(), kShape).view(),
               OutputsOf(plain, input.view(), kShape).view(), 1e-14);
  }
}

TEST_F(IdentityTest, ReversedIsForwardOverReversedInput) {
  RecurrentOptions options = PlainOptions(CellKind::kLstm);
  Recurrent<double> forward(options, "a", 1);
  options.reversed = true;
  Recurrent<double> reversed(options, "a", 1);
  Matrix<double> turned(input.rows(), input.cols());
  for (size_t t = 0; t < kSteps; ++t) {
    Copy<double>(input.view().Rows(t * kBatch, kBatch),
                 turned.view().Rows((kSteps - 1 - t) * kBatch, kBatch));
  }
  const Matrix<double> expected = OutputsOf(forward, turned.view(), kShape);
  const Matrix<double> found = OutputsOf(reversed, input.view(), kShape);
  for (size_t t = 0; t < kSteps; ++t) {
    ExpectNear(found.view().Rows(t * kBatch, kBatch),
               expected.view().Rows((kSteps - 1 - t) * kBatch, kBatch), 1e-15);
  }
}

TEST(StateTest, CarriedFromChunkToChunkIsOneLongRun) {
  constexpr ChunkShape kLong{40, kBatch, {}};
  constexpr ChunkShape kHalf{20, kBatch, {}};
  const Matrix<double> input = RandomMatrix<double>(kLong.rows(), kInputDim, 9);
  for (size_t kind = 0; kind < kCellNames.size(); ++kind) {
    RecurrentOptions options = PlainOptions(static_cast<CellKind>(kind));
    options.projection_dim = kProjected;
    Recurrent<double> layer(options, "a", 1);
    const Matrix<double> expected = OutputsOf(layer, input.view(), kLong);
    LayerState<double> state = StateOf(layer, kBatch);
    for (size_t half = 0; half < 2; ++half) {
      const size_t first = half * kHalf.rows();
      ExpectNear(layer.Forward(input.view().Rows(first, kHalf.rows()), kHalf,
                               state.parts()),
                 expected.view().Rows(first, kHalf.rows()), 1e-14);
    }
  }
}

TEST(StateTest, ResetRowStartsOneSequenceAnew) {
  Recurrent<double> layer(PlainOptions(CellKind::kLstm), "a", 1);
  const Matrix<double> input =
      RandomMatrix<double>(kShape.rows(), kInputDim, 9);
  const Matrix<double> first = OutputsOf(layer, input.view(), kShape);
  LayerState<double> state = StateOf(layer, kBatch);
  layer.Forward(input.view(), kShape, state.parts());
  state.ResetRow(1);
  const ConstView<double> second =
      layer.Forward(input.view(), kShape, state.parts());
  for (size_t t = 0; t < kSteps; ++t) {
    ExpectNear(second.Rows(t * kBatch + 1, 1),
               first.view().Rows(t * kBatch + 1, 1), 1e-15);
    EXPECT_NE(second.Row(t * kBatch)[0], first.Row(t * kBatch)[0]);
  }
}

// A sentence gives the same outputs and leaves the same state whatever stands
// beside and behind it.
TEST(PaddingTest, DoesNotChangeResults) {
  const ChunkShape shape{kSteps, kBatch, kLengths};
  for (size_t kind = 0; kind < kCellNames.size(); ++kind) {
    for (const bool reversed : {false, true}) {
      RecurrentOptions options = PlainOptions(static_cast<CellKind>(kind));
      options.reversed = reversed;
      options.projection_dim = kProjected;
      Recurrent<double> layer(options, "a", 1);
      const Matrix<double> input =
          RandomMatrix<double>(shape.rows(), kInputDim, 9);
      LayerState<double> state = StateOf(layer, kBatch);
      const ConstView<double> output =
          layer.Forward(input.view(), shape, state.parts());
      Matrix<double> copy(output.rows(), output.cols());
      Copy(output, copy.view());
      for (size_t b = 0; b < kBatch; ++b) {
        const ChunkShape alone{kLengths[b], 1, {}};
        Matrix<double> rows(kLengths[b], kInputDim);
        for (size_t t = 0; t < kLengths[b]; ++t) {
          Copy<double>(input.view().Rows(t * kBatch + b, 1),
                       rows.view().Rows(t, 1));
        }
        LayerState<double> own = StateOf(layer, 1);
        const ConstView<double> expected =
            layer.Forward(rows.view(), alone, own.parts());
        for (size_t t = 0; t < kLengths[b]; ++t) {
          ExpectNear(copy.view().Rows(t * kBatch + b, 1), expected.Rows(t, 1),
                     1e-14);
        }
        ExpectNear(state[0].view().Rows(b, 1), own[0].view(), 1e-14);
        ExpectNear(state[1].view().Rows(b, 1), own[1].view(), 1e-14);
      }
    }
  }
}

TEST(ClipTest, BoundsStateAndProjection) {
  RecurrentOptions options =
      OptionsOf(CellKind::kLstm, {.name = "clip",
                                  .projection_dim = kProjected,
                                  .cell_clip = 0.25,
                                  .projection_clip = 0.1});
  Recurrent<double> layer(options, "a", 1);
  Randomize(ParametersOf(layer), 5, 2);
  const Matrix<double> input =
      RandomMatrix<double>(kShape.rows(), kInputDim, 9);
  LayerState<double> state = StateOf(layer, kBatch);
  const ConstView<double> output =
      layer.Forward(input.view(), kShape, state.parts());
  size_t clipped = 0;
  for (size_t r = 0; r < output.rows(); ++r) {
    for (size_t c = 0; c < output.cols(); ++c) {
      EXPECT_LE(std::abs(output.Row(r)[c]), 0.1);
      clipped += std::abs(output.Row(r)[c]) == 0.1;
    }
  }
  EXPECT_GT(clipped, 0u);
  for (size_t i = 0; i < state[1].size(); ++i) {
    EXPECT_LE(std::abs(state[1].data()[i]), 0.25);
  }
}

TEST(ForgetBiasTest, StandsInTheForgetPlane) {
  RecurrentOptions options = PlainOptions(CellKind::kLstm);
  options.forget_bias = 2.5;
  Recurrent<float> layer(options, "a", 1);
  for (size_t i = 0; i < 4 * kUnits; ++i) {
    EXPECT_EQ(layer.bias().value.data()[i], i / kUnits == 2 ? 2.5f : 0.0f);
  }
}

TEST(NanTest, IsNotHiddenByAnyCell) {
  for (size_t kind = 0; kind < kCellNames.size(); ++kind) {
    RecurrentOptions options = PlainOptions(static_cast<CellKind>(kind));
    options.units = 20;
    options.cell_clip = 3;
    Recurrent<float> layer(options, "a", 1);
    layer.input_weights().value.Row(0)[0] = NAN;
    const Matrix<float> input =
        RandomMatrix<float>(kShape.rows(), kInputDim, 9);
    ForEachTarget([&] {
      LayerState<float> state = StateOf(layer, kBatch);
      const ConstView<float> output =
          layer.Forward(input.view(), kShape, state.parts());
      EXPECT_TRUE(std::isnan(output.Row(output.rows() - 1)[0]))
          << kCellNames[kind];
    });
  }
}

}  // namespace
}  // namespace firth::nn
