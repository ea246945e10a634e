#include "nn/row_layers.h"

#include "gtest/gtest.h"
#include "support/golden_data.h"
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

template <class T>
void ExpectGoldenNorm(double epsilon, const std::string& suffix) {
  const GoldenFile golden("layer_norm");
  if (!golden.here()) GTEST_SKIP() << "FIRTH_DATA is not set";
  GainedNorm<T> norm(13, epsilon, "norm");
  ParameterList<T> parameters;
  norm.AppendParameters(&parameters);
  parameters[0]->value = golden.Read<T>("gain");
  parameters[1]->value = golden.Read<T>("bias");
  const Matrix<T> x = golden.Read<T>("x");
  ExpectClose<T>(norm.Forward(x.view()), golden.Read<T>("y" + suffix).view(),
                 1e-6, suffix);
  Matrix<T> gradient = golden.Read<T>("w");
  norm.Backward(gradient.view());
  ExpectRelativelyClose<T>(
      gradient.view(), golden.Read<T>("grad.x" + suffix).view(), 1e-5, suffix);
  ExpectRelativelyClose<T>(parameters[0]->gradient.view(),
                           golden.Read<T>("grad.gain" + suffix).view(), 1e-5,
                           suffix);
  ExpectRelativelyClose<T>(parameters[1]->gradient.view(),
                           golden.Read<T>("grad.bias" + suffix).view(), 1e-5,
                           suffix);
  ExpectClose<T>(norm.Forward(golden.Read<T>("constant_row_in").view()),
                 golden.Read<T>("constant_row_out").view(), 1e-6, "constant");
}

TEST(GainedNormTest, AgreesWithGoldenData) {
  ExpectGoldenNorm<float>(1e-5, ".eps1e-05");
  ExpectGoldenNorm<float>(1e-12, ".eps1e-12");
  ExpectGoldenNorm<double>(1e-12, ".eps1e-12");
}

}  // namespace
}  // namespace firth::nn
