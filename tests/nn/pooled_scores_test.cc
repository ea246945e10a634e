// The head on a text's first token: its gradients are those of its loss.

#include "nn/pooled_scores.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "support/gradient_check.h"

namespace firth::nn {
namespace {

TEST(PooledScoresTest, GradientsAreDifferencesOfTheLoss) {
  PooledScores<double> scores(3, 2, "head", 1);
  ParameterList<double> parameters;
  scores.AppendParameters(&parameters);
  ASSERT_EQ(parameters.size(), 4u);
  EXPECT_EQ(parameters[0]->name, "head.pooler.weights");
  Randomize(parameters, 2);
  // What is read has a gradient, too.
  Parameter<double> first("first", 4, 3);
  FillNormal(1, 3, first.value);
  const std::vector<uint32_t> right = {0, 1, 1, 0};
  Matrix<double> d_first(4, 3);
  const auto loss = [&] {
    return scores.Step(first.value.view(), right, d_first.view());
  };
  ClearGradients(parameters);
  loss();
  Copy<double>(d_first.view(), first.gradient.view());
  parameters.push_back(&first);
  for (Parameter<double>* parameter : parameters) {
    if (parameter != &first) {
      parameter->gradient.Clear();
      loss();
    }
    ExpectGradients({parameter}, loss);
  }
}

TEST(PooledScoresTest, TheLossIsThatOfTheSoftmax) {
  PooledScores<double> scores(3, 2, "head", 1);
  ParameterList<double> parameters;
  scores.AppendParameters(&parameters);
  Randomize(parameters, 2);
  const Matrix<double> first = RandomMatrix<double>(2, 3, 5);
  Matrix<double> found(2, 2), d_first(2, 3);
  scores.Forward(first.view(), found.view());
  double sum = 0;
  for (size_t r = 0; r < 2; ++r) {
    const double* const row = found.Row(r);
    sum -= std::log(std::exp(row[r]) / (std::exp(row[0]) + std::exp(row[1])));
  }
  const std::vector<uint32_t> right = {0, 1};
  EXPECT_NEAR(scores.Step(first.view(), right, d_first.view()), sum / 2, 1e-12);
}

}  // namespace
}  // namespace firth::nn
