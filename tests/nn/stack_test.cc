#include "nn/stack.h"

#include "gtest/gtest.h"
#include "nn/recurrent.h"
#include "support/gradient_check.h"

namespace firth::nn {
namespace {

constexpr size_t kBatch = 3;
constexpr size_t kInputDim = 6;

TEST(StackTest, ResidualAddsTheInputFromTheSecondLayerOn) {
  RecurrentLayers options;
  options.recurrent.units = 5;
  options.layers = 2;
  const ChunkShape shape{4, kBatch, {}};
  const Matrix<double> input = RandomMatrix<double>(shape.rows(), kInputDim, 3);
  const LayersPlace place{kInputDim, false, "stack", 1};
  const auto plain = MakeLayers<double>(options, place);
  options.residual = true;
  const auto residual = MakeLayers<double>(options, place);
  LayerState<double> state = plain->MakeState(kBatch);
  plain->Forward(input.view(), shape, &state);
  LayerState<double> residual_state = residual->MakeState(kBatch);
  residual->Forward(input.view(), shape, &residual_state);
  for (size_t r = 0; r < shape.rows(); ++r) {
    for (size_t c = 0; c < plain->output_dim(); ++c) {
      EXPECT_EQ(residual->output(0).Row(r)[c], plain->output(0).Row(r)[c]);
      EXPECT_DOUBLE_EQ(residual->output(1).Row(r)[c],
                       plain->output(1).Row(r)[c] + plain->output(0).Row(r)[c]);
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
