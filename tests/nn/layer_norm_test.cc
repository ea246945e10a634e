#include "nn/layer_norm.h"

#include "gtest/gtest.h"
#include "support/gradient_check.h"

namespace firth::nn {
namespace {

TEST(LayerNormTest, RowsHaveMeanZeroAndDeviationOne) {
  Matrix<double> input = RandomMatrix<double>(4, 7, 1, 3);
  for (double* x = input.Row(2); x < input.Row(3); ++x) *x += 100;
  LayerNorm<double> norm;
  const ConstView<double> output = norm.Forward(input.view());
  for (size_t r = 0; r < 4; ++r) {
    double sum = 0, squares = 0;
    for (size_t c = 0; c < 7; ++c) {
      sum += output.Row(r)[c];
      squares += output.Row(r)[c] * output.Row(r)[c];
      // The order is that of the input.
      EXPECT_EQ(output.Row(r)[c] > output.Row(r)[0],
                input.Row(r)[c] > input.Row(r)[0]);
    }
    EXPECT_NEAR(sum, 0, 1e-12);
    EXPECT_NEAR(squares / 7, 1, 1e-10);
  }
}

TEST(LayerNormTest, ARowOfOneValueBecomesZeros) {
  Matrix<float> input(1, 8);
  input.Fill(3);
  LayerNorm<float> norm;
  const ConstView<float> output = norm.Forward(input.view());
  for (size_t c = 0; c < 8; ++c) EXPECT_NEAR(output.Row(0)[c], 0, 1e-6);
}

TEST(LayerNormTest, GradientsAreThoseOfDifferences) {
  Parameter<double> input("x", 3, 6);
  Randomize<double>({&input}, 5);
  const Matrix<double> weights = RandomMatrix<double>(3, 6, 9);
  LayerNorm<double> norm;
  const auto loss = [&] {
    return WeightedSum(norm.Forward(input.value.view()), weights.view());
  };
  loss();
  Copy<double>(weights.view(), input.gradient.view());
  norm.Backward(input.gradient.view());
  ExpectGradients({&input}, loss);
}

}  // namespace
}  // namespace firth::nn
