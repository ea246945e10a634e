#include "nn/stack.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "support/gradient_check.h"

namespace firth::nn {
namespace {

constexpr size_t kSteps = 4;
constexpr size_t kBatch = 3;
constexpr size_t kInputDim = 6;
constexpr size_t kLengths[kBatch] = {4, 1, 3};

struct StackCase {
  const char* name;
  size_t layers = 2;
  bool residual = false;
  double dropout = 0;
  bool reversed = false;
  bool padded = false;
  size_t projection_dim = 0;
  double projection_clip = 0;
};

constexpr StackCase kCases[] = {
    {.name = "one layer", .layers = 1},
    {.name = "three layers", .layers = 3},
    {.name = "residual", .layers = 3, .residual = true},
    {.name = "dropout", .dropout = 0.4},
    {.name = "ELMo's",
     .layers = 2,
     .residual = true,
     .dropout = 0.25,
     .reversed = true,
     .padded = true,
     .projection_dim = 3,
     .projection_clip = 0.4},
};

RecurrentLayers OptionsOf(const StackCase& test) {
  RecurrentLayers options;
  options.recurrent.units = 5;
  options.recurrent.projection_dim = test.projection_dim;
  options.recurrent.projection_clip = test.projection_clip;
  options.layers = test.layers;
  options.residual = test.residual;
  options.dropout = test.dropout;
  return options;
}

// The loss looks at the top and at every layer's output.
TEST(StackTest, GradientsAreThoseOfDifferences) {
  for (const StackCase& test : kCases) {
    SCOPED_TRACE(test.name);
    Stack<double> stack(OptionsOf(test),
                        {kInputDim, test.reversed, "stack", 1});
    ChunkShape shape{kSteps, kBatch, {}};
    if (test.padded) shape.lengths = kLengths;
    Parameter<double> input("x", shape.rows(), kInputDim);
    ParameterList<double> parameters = {&input};
    stack.AppendParameters(&parameters);
    Randomize(parameters, 20);
    std::vector<Matrix<double>> weights;
    for (size_t l = 0; l <= test.layers; ++l) {
      weights.push_back(
          RandomMatrix<double>(shape.rows(), stack.output_dim(), 40 + l));
    }
    const auto loss = [&] {
      LayerState<double> state = stack.MakeState(kBatch);
      double sum = WeightedSum(
          stack.Forward(input.value.view(), shape, &state, DropoutKey(99)),
          weights[test.layers].view());
      for (size_t l = 0; l < test.layers; ++l) {
        sum += WeightedSum(stack.output(l), weights[l].view());
      }
      return sum;
    };
    loss();
    std::vector<ConstView<double>> d_outputs;
    for (size_t l = 0; l < test.layers; ++l) {
      d_outputs.emplace_back(weights[l].view());
    }
    stack.Backward(weights[test.layers].view(), d_outputs,
                   input.gradient.view());
    ExpectGradients(parameters, loss);
  }
}

TEST(StackTest, ResidualAddsTheInputFromTheSecondLayerOn) {
  RecurrentLayers options = OptionsOf(kCases[0]);
  options.layers = 2;
  const ChunkShape shape{kSteps, kBatch, {}};
  const Matrix<double> input = RandomMatrix<double>(shape.rows(), kInputDim, 3);
  Stack<double> plain(options, {kInputDim, false, "stack", 1});
  options.residual = true;
  Stack<double> residual(options, {kInputDim, false, "stack", 1});
  LayerState<double> state = plain.MakeState(kBatch);
  plain.Forward(input.view(), shape, &state);
  LayerState<double> residual_state = residual.MakeState(kBatch);
  residual.Forward(input.view(), shape, &residual_state);
  for (size_t r = 0; r < shape.rows(); ++r) {
    for (size_t c = 0; c < plain.output_dim(); ++c) {
      EXPECT_EQ(residual.output(0).Row(r)[c], plain.output(0).Row(r)[c]);
      EXPECT_DOUBLE_EQ(residual.output(1).Row(r)[c],
                       plain.output(1).Row(r)[c] + plain.output(0).Row(r)[c]);
    }
  }
}

TEST(LayerStateTest, KeepRowsFollowsTheParents) {
  LayerState<double> state;
  state.Add("0.output", 3, 2);
  state.Add("0.state", 3, 1);
  for (size_t row = 0; row < 3; ++row) {
    state[0].Row(row)[1] = 10 + static_cast<double>(row);
    state[1].Row(row)[0] = 20 + static_cast<double>(row);
  }
  state.KeepRows({2, 0, 2, 1});
  const double expected[] = {2, 0, 2, 1};
  ASSERT_EQ(state[0].rows(), 4u);
  for (size_t row = 0; row < 4; ++row) {
    EXPECT_EQ(state[0].Row(row)[1], 10 + expected[row]);
    EXPECT_EQ(state[1].Row(row)[0], 20 + expected[row]);
  }
  state.ResetRow(2);
  EXPECT_EQ(state[0].Row(2)[1], 0);
  EXPECT_EQ(state[0].Row(3)[1], 11);
  state.Reset();
  EXPECT_EQ(state[1].Row(3)[0], 0);
}

// A text of many pieces, of which sequences end in different ones.
TEST(ReadTest, PiecesGiveWhatOneChunkGives) {
  constexpr size_t kLong = 3000;  // steps, of 3 sequences: more than a piece
  constexpr size_t kEnds[] = {kLong, 1300, 2};
  const ChunkShape shape{kLong, kBatch, kEnds};
  const Matrix<double> input = RandomMatrix<double>(shape.rows(), kInputDim, 3);
  for (const bool reversed : {false, true}) {
    Stack<double> stack(OptionsOf(kCases[0]), {kInputDim, reversed, "s", 1});
    LayerState<double> whole = stack.MakeState(kBatch);
    const ConstView<double> top = stack.Forward(input.view(), shape, &whole);
    Matrix<double> expected(top.rows(), top.cols());
    Copy(top, expected.view());
    LayerState<double> state = stack.MakeState(kBatch);
    size_t pieces = 0, steps = 0;
    stack.Read(input.view(), shape, &state,
               [&](size_t first, ConstView<double> piece) {
                 ++pieces;
                 steps += piece.rows() / kBatch;
                 for (size_t r = 0; r < piece.rows(); ++r) {
                   const size_t row = first * kBatch + r;
                   if (row / kBatch >= kEnds[row % kBatch]) continue;
                   EXPECT_NEAR(piece.Row(r)[0], expected.Row(row)[0], 1e-13);
                 }
               });
    EXPECT_GT(pieces, 1u);
    EXPECT_EQ(steps, kLong);
    for (size_t b = 0; b < kBatch; ++b) {
      EXPECT_NEAR(state[0].Row(b)[0], whole[0].Row(b)[0], 1e-13);
    }
  }
}

TEST(DropoutTest, DropsAtItsRateAndKeepsTheMean) {
  constexpr size_t kCount = 100000;
  Matrix<float> ones(1, kCount);
  ones.Fill(1);
  for (const double rate : {0.1, 0.5}) {
    Dropout<float> dropout(rate);
    const ConstView<float> dropped = dropout.Forward(ones.view(), 5);
    size_t zeros = 0;
    double sum = 0;
    for (size_t i = 0; i < kCount; ++i) {
      zeros += dropped.data()[i] == 0;
      sum += dropped.data()[i];
    }
    EXPECT_NEAR(static_cast<double>(zeros) / kCount, rate, 0.005);
    EXPECT_NEAR(sum / kCount, 1, 0.01);
  }
}

TEST(DropoutTest, WithoutKeyOrRateHandsTheInputOn) {
  const Matrix<float> input = RandomMatrix<float>(2, 3, 1);
  EXPECT_EQ(Dropout<float>(0.5).Forward(input.view(), {}).data(), input.data());
  EXPECT_EQ(Dropout<float>(0).Forward(input.view(), 7).data(), input.data());
}

TEST(DropoutTest, OneKeyGivesOneMask) {
  const Matrix<float> input = RandomMatrix<float>(8, 9, 1);
  Dropout<float> first(0.5), second(0.5), other(0.5);
  const ConstView<float> a = first.Forward(input.view(), 3);
  const ConstView<float> b = second.Forward(input.view(), 3);
  const ConstView<float> c = other.Forward(input.view(), 4);
  EXPECT_TRUE(std::equal(a.data(), a.data() + input.size(), b.data()));
  EXPECT_FALSE(std::equal(a.data(), a.data() + input.size(), c.data()));
}

}  // namespace
}  // namespace firth::nn
