// Optimizers against loops that are the formulas of optimizer.h.

#include "nn/optimizer.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nn/schedule.h"
#include "support/golden_data.h"
#include "support/gradient_check.h"
#include "support/targets.h"

namespace firth::nn {
namespace {

constexpr size_t kRows = 7;
constexpr size_t kCols = 21;  // one vector and a rest
constexpr double kRate = 0.3;
constexpr int kSteps = 5;

// One value over time.
class PlainValue {
 public:
  PlainValue(const OptimizerOptions& options, GradientKind kind, double value)
      : options_(options), value_(value) {
    auto* const adam = std::get_if<AdamOptions>(&options_);
    if (adam != nullptr && !adam->sparse_mean &&
        kind == GradientKind::kSparse) {
      adam->beta1 = 0;
    }
    if (const auto* adagrad = std::get_if<AdagradOptions>(&options)) {
      square_ = adagrad->first_sum;
    }
  }

  // t: the number of the step, from 1.
  void Step(double g, int t) {
    if (std::holds_alternative<SgdOptions>(options_)) {
      value_ -= kRate * g;
    } else if (const auto* adagrad = std::get_if<AdagradOptions>(&options_)) {
      square_ += g * g;
      value_ -= kRate * g / (std::sqrt(square_) + adagrad->epsilon);
    } else {
      const auto& adam = std::get<AdamOptions>(options_);
      mean_ = adam.beta1 * mean_ + (1 - adam.beta1) * g;
      square_ = adam.beta2 * square_ + (1 - adam.beta2) * g * g;
      const double mean = mean_ / (1 - std::pow(adam.beta1, t));
      const double square = square_ / (1 - std::pow(adam.beta2, t));
      value_ *= 1 - kRate * adam.weight_decay;
      value_ -= kRate * mean / (std::sqrt(square) + adam.epsilon);
    }
  }

  double value() const { return value_; }

 private:
  OptimizerOptions options_;
  double value_;
  double mean_ = 0;
  double square_ = 0;
};

std::vector<OptimizerOptions> AllOptimizers() {
  return {SgdOptions{},
          AdagradOptions{},
          AdagradOptions{.first_sum = 1},
          AdamOptions{},
          AdamOptions{.beta1 = 0.5, .epsilon = 0.1},
          AdamOptions{.weight_decay = 0.2},
          AdamOptions{.weight_decay = 0.1, .sparse_mean = false}};
}

std::string NameOf(const OptimizerOptions& options) {
  return std::visit([](const auto& o) { return std::string(o.kName); },
                    options);
}

// Step t touches these rows; the others of a sparse gradient stay away.
std::vector<size_t> TouchedRows(int t) {
  return {static_cast<size_t>(t) % 4, 5};
}

template <class T>
void ExpectPlainSteps(const OptimizerOptions& options, GradientKind kind,
                      double tolerance) {
  SCOPED_TRACE(NameOf(options));
  Parameter<T> parameter("p", kRows, kCols, kind);
  FillNormal(1, 3, parameter.value);
  std::vector<PlainValue> plain;
  for (size_t i = 0; i < parameter.value.size(); ++i) {
    plain.emplace_back(options, kind, parameter.value.data()[i]);
  }
  Optimizer<T> optimizer(options, {&parameter});
  for (int t = 1; t <= kSteps; ++t) {
    Matrix<T> gradients(kRows, kCols);
    FillNormal(1, 100 + static_cast<uint64_t>(t), gradients);
    std::vector<size_t> rows = TouchedRows(t);
    if (kind == GradientKind::kDense) rows = {0, 1, 2, 3, 4, 5, 6};
    for (const size_t row : rows) {
      for (size_t c = 0; c < kCols; ++c) {
        parameter.gradient.Row(row)[c] = gradients.Row(row)[c];
        plain[row * kCols + c].Step(gradients.Row(row)[c], t);
      }
    }
    optimizer.Step(kRate);
  }
  for (size_t i = 0; i < plain.size(); ++i) {
    ASSERT_NEAR(parameter.value.data()[i], plain[i].value(), tolerance) << i;
  }
}

TEST(OptimizerTest, StepsAreThoseOfThePlainFormulas) {
  for (const OptimizerOptions& options : AllOptimizers()) {
    for (const GradientKind kind :
         {GradientKind::kDense, GradientKind::kSparse}) {
      ExpectPlainSteps<double>(options, kind, 1e-13);
      ForEachTarget([&] { ExpectPlainSteps<float>(options, kind, 2e-5); });
    }
  }
}

TEST(OptimizerTest, BiasesAndGainsDoNotDecay) {
  Parameter<double> gains("gains", 1, 3), weights("weights", 2, 3);
  gains.value.Fill(2);
  weights.value.Fill(2);
  Optimizer<double> optimizer(AdamOptions{.weight_decay = 0.5},
                              {&gains, &weights});
  gains.gradient.Row(0)[0] = weights.gradient.Row(0)[0] = 0;
  optimizer.Step(0.1);
  EXPECT_EQ(gains.value.Row(0)[1], 2);
  EXPECT_DOUBLE_EQ(weights.value.Row(1)[1], 2 * 0.95);
}

TEST(OptimizerTest, ClearsGradientsAndLeavesFrozenParametersAlone) {
  for (const OptimizerOptions& options : AllOptimizers()) {
    Parameter<float> learns("a", 2, 3), frozen("b", 2, 3);
    frozen.frozen = true;
    Optimizer<float> optimizer(options, {&learns, &frozen});
    learns.gradient.Row(1)[2] = 1;
    frozen.gradient.Row(1)[2] = 1;
    optimizer.Step(kRate);
    EXPECT_NE(learns.value.Row(1)[2], 0);
    EXPECT_EQ(frozen.value.Row(1)[2], 0);
    EXPECT_EQ(learns.gradient.SquaredNorm(), 0);
    EXPECT_EQ(frozen.gradient.SquaredNorm(), 0);
  }
}

// What a checkpoint does: values, slots and the number of steps are all there
// is.
TEST(OptimizerTest, GoesOnFromItsSlotsToTheSameBits) {
  for (const OptimizerOptions& options : AllOptimizers()) {
    Parameter<float> first("p", 2, 3), second("p", 2, 3);
    Optimizer<float> whole(options, {&first}), resumed(options, {&second});
    const auto step = [](Optimizer<float>& optimizer, Parameter<float>& p,
                         float gradient) {
      p.gradient.Row(0)[1] = gradient;
      optimizer.Step(kRate);
    };
    step(whole, first, 0.5f);
    Copy<float>(first.value.view(), second.value.view());
    const auto from = whole.Slots();
    const auto to = resumed.Slots();
    ASSERT_EQ(from.size(), to.size());
    for (size_t s = 0; s < from.size(); ++s) {
      EXPECT_EQ(from[s].name, to[s].name);
      Copy<float>(from[s].values->view(), to[s].values->view());
    }
    resumed.set_steps(whole.steps());
    step(whole, first, -0.25f);
    step(resumed, second, -0.25f);
    EXPECT_EQ(first.value.Row(0)[1], second.value.Row(0)[1]);
  }
}

TEST(ClipGlobalNormTest, ScalesAllGradientsToTheCommonNorm) {
  Parameter<double> dense("a", 1, 2), frozen("c", 1, 2);
  Parameter<double> sparse("b", 9, 1, GradientKind::kSparse);
  frozen.frozen = true;
  dense.gradient.Row(0)[0] = 3;
  *sparse.gradient.Row(7) = 4;
  frozen.gradient.Row(0)[0] = 100;
  const ParameterList<double> all = {&dense, &sparse, &frozen};
  EXPECT_DOUBLE_EQ(ClipGlobalNorm(10.0, all), 5);
  EXPECT_EQ(dense.gradient.Row(0)[0], 3);
  EXPECT_DOUBLE_EQ(ClipGlobalNorm(1.0, all), 5);
  EXPECT_DOUBLE_EQ(dense.gradient.Row(0)[0], 0.6);
  EXPECT_DOUBLE_EQ(*sparse.gradient.Row(7), 0.8);
  EXPECT_EQ(frozen.gradient.Row(0)[0], 100);
  EXPECT_DOUBLE_EQ(GlobalNorm(all), 1);
}

TEST(ClipGlobalNormTest, SaysSoWhenTheNormIsNotFinite) {
  Parameter<double> parameter("a", 1, 20);
  parameter.gradient.Row(0)[3] = 1;
  parameter.gradient.Row(0)[17] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(
      std::isnan(ClipGlobalNorm(1.0, ParameterList<double>{&parameter})));
  EXPECT_EQ(parameter.gradient.Row(0)[3], 1);
}

TEST(GradientTest, SparseHoldsTouchedRowsAndStartsThemWithZeros) {
  Gradient<float> gradient(10, 2, GradientKind::kSparse);
  gradient.Row(4)[0] += 1;
  gradient.Row(9)[1] += 2;
  gradient.Row(4)[0] += 1;
  ASSERT_EQ(gradient.num_stored(), 2u);
  EXPECT_EQ(gradient.TableRow(0), 4u);
  EXPECT_EQ(gradient.Row(4)[0], 2);
  EXPECT_EQ(gradient.SquaredNorm(), 8);
  gradient.Clear();
  EXPECT_EQ(gradient.num_stored(), 0u);
  EXPECT_EQ(gradient.Row(9)[1], 0);
}

struct ScheduleCase {
  Decay decay;
  uint64_t step;
  double expected;
};

TEST(ScheduleTest, FollowsItsFormula) {
  constexpr ScheduleCase kCases[] = {
      {Decay::kConstant, 0, 0.25},
      {Decay::kConstant, 3, 1},
      {Decay::kConstant, 1000, 1},
      {Decay::kLinear, 4, 1},
      {Decay::kLinear, 54, 0.55},
      {Decay::kLinear, 104, 0.1},
      {Decay::kLinear, 200, 0.1},
      {Decay::kExponential, 54, 0.31622776601},
      {Decay::kExponential, 104, 0.1},
      {Decay::kInverseRoot, 3, 1},
      {Decay::kInverseRoot, 15, 0.5},
      {Decay::kCosine, 4, 1},
      {Decay::kCosine, 54, 0.55},
      {Decay::kCosine, 29, 0.55 + 0.45 * 0.70710678118654752},
      {Decay::kCosine, 104, 0.1},
      {Decay::kCosine, 300, 0.1},
  };
  for (const ScheduleCase& test : kCases) {
    const Schedule schedule{test.decay, 1, 0.1, 4, 104};
    EXPECT_NEAR(schedule.At(test.step), test.expected, 1e-10)
        << static_cast<int>(test.decay) << " " << test.step;
  }
}

// Vaswani et al. 2017, section 5.3: d^-0.5 min(step^-0.5, step warmup^-1.5).
TEST(ScheduleTest, TheInverseRootAgreesWithGoldenData) {
  const GoldenFile golden("label_smoothing_schedule");
  if (!golden.here()) GTEST_SKIP() << "FIRTH_DATA is not set";
  const std::vector<size_t> steps = golden.ReadSizes("noam.steps");
  const Matrix<double> rates = golden.Read<double>("noam.rate.d512.w4000.f64");
  const Schedule schedule{.decay = Decay::kInverseRoot,
                          .start = 1 / std::sqrt(512.0 * 4000),
                          .warmup = 4000,
                          .total = 1000000};
  for (size_t i = 0; i < steps.size(); ++i) {
    EXPECT_NEAR(schedule.At(steps[i] - 1), rates.data()[i], 1e-12) << steps[i];
  }
}

}  // namespace
}  // namespace firth::nn
