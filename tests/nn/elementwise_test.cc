// The vector functions against the standard library, over their whole range.

#include "nn/elementwise.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "support/golden_data.h"
#include "support/targets.h"

namespace firth::nn {
namespace {

// From the smallest to the largest, both signs, with a rest for every vector
// length.
std::vector<float> Grid() {
  std::vector<float> grid = {0.0f, -0.0f};
  float x = 1e-6f;
  while (x < 100) {
    grid.push_back(x);
    grid.push_back(-x);
    x *= 1.003f;
  }
  return grid;
}

TEST(ElementwiseTest, TanhIsExactToRounding) {
  ForEachTarget([] {
    const std::vector<float> grid = Grid();
    std::vector<float> values = grid;
    Activate(Activation::kTanh, values.size(), values.data());
    for (size_t i = 0; i < grid.size(); ++i) {
      const double expected = std::tanh(double{grid[i]});
      EXPECT_NEAR(values[i], expected, 6e-7 * std::abs(expected)) << grid[i];
    }
  });
}

TEST(ElementwiseTest, ActivationsAgreeWithGoldenData) {
  const GoldenFile golden("gelu");
  if (!golden.here()) GTEST_SKIP() << "FIRTH_DATA is not set";
  ForEachTarget([&] {
    for (const auto& [activation, name] :
         {std::pair(Activation::kGelu, "gelu_erf"),
          std::pair(Activation::kGeluTanh, "gelu_tanh")}) {
      Matrix<float> values = golden.Read<float>("x");
      Matrix<float> slopes(1, values.size());
      Activate(activation, values.size(), values.data(), slopes.data());
      ExpectClose<float>(values.view(), golden.Read<float>(name).view(), 2e-6,
                         name);
      ExpectClose<float>(
          slopes.view(),
          golden.Read<float>(std::string("slope.") + name).view(), 2e-6, name);
    }
  });
}

// In doubles, whose values PyTorch's are.
TEST(ElementwiseTest, SlopesAreThoseOfDifferences) {
  for (const Activation activation :
       {Activation::kRelu, Activation::kTanh, Activation::kGelu,
        Activation::kGeluTanh}) {
    for (const double x : {-3.0, -0.7, 0.1, 2.5}) {
      double value = x, above = x + 1e-5, below = x - 1e-5, slope = 0;
      double* const none = nullptr;
      Activate(activation, 1, &value, &slope);
      Activate(activation, 1, &above, none);
      Activate(activation, 1, &below, none);
      EXPECT_NEAR(slope, (above - below) / 2e-5, 1e-9) << x;
    }
  }
  double value = 1.5, slope = 0;
  Activate(Activation::kGelu, 1, &value, &slope);
  EXPECT_NEAR(value, 0.75 * (1 + std::erf(1.5 / std::sqrt(2.0))), 1e-14);
}

TEST(ElementwiseTest, ANaNStaysOne) {
  ForEachTarget([] {
    for (const Activation activation :
         {Activation::kRelu, Activation::kTanh, Activation::kGelu,
          Activation::kGeluTanh}) {
      std::vector<float> values(19, std::nanf(""));
      std::vector<float> slopes(values.size());
      Activate(activation, values.size(), values.data(), slopes.data());
      for (const float value : values) EXPECT_TRUE(std::isnan(value));
    }
  });
}

// Through Logistic(): sigmoids, and the sum of ln(1 + exp(x)).
TEST(ElementwiseTest, SigmoidAndItsLossAreExactToRounding) {
  ForEachTarget([] {
    const std::vector<float> grid = Grid();
    std::vector<float> values = grid;
    const double loss = Logistic(values.size(), 1.0f, nullptr, values.data());
    double expected_loss = 0;
    for (size_t i = 0; i < grid.size(); ++i) {
      const double x = grid[i];
      const double expected = 1 / (1 + std::exp(-x));
      expected_loss += std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
      const double tolerance = std::abs(x) < 10 ? 1e-6 : 1e-5;
      if (std::abs(x) < 86) {
        EXPECT_NEAR(values[i], expected, tolerance * expected) << x;
      }
    }
    EXPECT_NEAR(loss, expected_loss, 1e-6 * expected_loss);
  });
}

TEST(ElementwiseTest, SoftmaxSumsToItsScaleAndReturnsTheNormalizer) {
  ForEachTarget([] {
    for (size_t count = 1; count < 70; ++count) {
      std::vector<float> scores(count), offsets(count);
      double sum = 0;
      for (size_t i = 0; i < count; ++i) {
        scores[i] = 10 * std::sin(static_cast<float>(i));
        offsets[i] = std::cos(static_cast<float>(i));
        sum += std::exp(double{scores[i]} + offsets[i]);
      }
      const float log_sum = Softmax(count, 0.5f, offsets.data(), scores.data());
      EXPECT_NEAR(log_sum, std::log(sum), 1e-5);
      double total = 0;
      for (const float share : scores) total += share;
      EXPECT_NEAR(total, 0.5, 1e-6);
    }
  });
}

TEST(ElementwiseTest, NanIsNotHidden) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  ForEachTarget([&] {
    for (size_t at = 0; at < 40; ++at) {
      std::vector<float> values(40, 1.0f);
      values[at] = nan;
      std::vector<float> copy = values;
      EXPECT_TRUE(std::isnan(Softmax(40, 1.0f, nullptr, copy.data())));
      copy = values;
      EXPECT_TRUE(std::isnan(Logistic(40, 1.0f, nullptr, copy.data())));
      for (const Activation activation :
           {Activation::kRelu, Activation::kTanh}) {
        copy = values;
        Activate(activation, 40, copy.data());
        EXPECT_TRUE(std::isnan(copy[at]));
        EXPECT_FALSE(std::isnan(copy[(at + 1) % 40]));
      }
      EXPECT_TRUE(std::isnan(DotProduct(40, values.data(), values.data())));
    }
  });
}

}  // namespace
}  // namespace firth::nn
