#include "support/oracle.h"

#include <cmath>
#include <numeric>
#include <variant>

namespace firth {
namespace {

double Dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double LogSigmoid(double x) { return -std::log1p(std::exp(-x)); }

// -ln p(target | h) under each objective; one overload each.
struct PairLoss {
  const ObjectiveTables& tables;
  const OracleModel& model;
  const std::vector<double>& hidden;
  size_t target;
  const std::vector<size_t>& noise;

  double operator()(const NegativeSamplingOptions&) const {
    double loss = -LogSigmoid(Dot(hidden, model.output[target]));
    for (const size_t word : noise) {
      if (word == target) continue;
      loss -= LogSigmoid(-Dot(hidden, model.output[word]));
    }
    return loss;
  }

  double operator()(const NceOptions& options) const {
    const std::vector<double> q = tables.noise->Probabilities();
    const auto log_odds = [&](size_t word) {
      return Dot(hidden, model.output[word]) + model.bias[word] -
             std::log(options.negatives * q[word]);
    };
    double loss = -LogSigmoid(log_odds(target));
    for (const size_t word : noise) loss -= LogSigmoid(-log_odds(word));
    return loss;
  }

  double operator()(const HierarchicalSoftmaxOptions&) const {
    double loss = 0;
    for (const HuffmanTree::Step step : tables.tree->Path(ToWordId(target))) {
      const double score = Dot(hidden, model.output[step.node]);
      loss -= LogSigmoid(step.branch == 0 ? score : -score);
    }
    return loss;
  }

  double operator()(const FullSoftmaxOptions&) const {
    double sum = 0;
    for (const auto& row : model.output) sum += std::exp(Dot(hidden, row));
    return std::log(sum) - Dot(hidden, model.output[target]);
  }
};

std::vector<double> Mean(const DoubleRows& rows,
                         const std::vector<size_t>& which) {
  std::vector<double> mean(rows[0].size(), 0.0);
  for (const size_t row : which) {
    for (size_t i = 0; i < mean.size(); ++i) {
      mean[i] += rows[row][i] / static_cast<double>(which.size());
    }
  }
  return mean;
}

DoubleRows ToDouble(const AlignedMatrix& matrix) {
  DoubleRows rows;
  for (size_t row = 0; row < matrix.rows(); ++row) {
    rows.emplace_back(matrix.Row(row), matrix.Row(row) + matrix.dim());
  }
  return rows;
}

// Replaces each of `values` by the derivative of `loss` with respect to it.
template <class Loss>
void Differentiate(const Loss& loss, std::vector<double>& values,
                   std::vector<double>& derivatives) {
  constexpr double kEpsilon = 1e-5;
  for (size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    values[i] = value + kEpsilon;
    const double above = loss();
    values[i] = value - kEpsilon;
    const double below = loss();
    values[i] = value;
    derivatives[i] = (above - below) / (2 * kEpsilon);
  }
}

double WindowLoss(const ArchitectureOptions& architecture,
                  const ObjectiveOptions& objective,
                  const ObjectiveTables& tables, const OracleWindow& window,
                  const OracleModel& model) {
  const auto pair_loss = [&](const std::vector<double>& hidden, size_t target) {
    return std::visit(PairLoss{tables, model, hidden, target, window.noise},
                      objective);
  };
  if (std::holds_alternative<CbowOptions>(architecture)) {
    return pair_loss(Mean(model.input, window.context), window.center);
  }
  double loss = 0;
  for (const size_t word : window.context) {
    const bool center_is_input =
        std::holds_alternative<FullSoftmaxOptions>(objective);
    loss += center_is_input ? pair_loss(model.input[window.center], word)
                            : pair_loss(model.input[word], window.center);
  }
  return loss;
}

}  // namespace

OracleModel CopyModel(const EmbeddingModel& model) {
  OracleModel copy;
  copy.input = ToDouble(model.input().Quiet());
  copy.output = ToDouble(model.output().Quiet());
  if (model.has_output_bias()) {
    copy.bias = ToDouble(model.output_bias().Quiet())[0];
  }
  return copy;
}

double LossOf(const std::vector<OracleWindow>& windows,
              const ArchitectureOptions& architecture,
              const ObjectiveOptions& objective, const ObjectiveTables& tables,
              const OracleModel& model) {
  double loss = 0;
  for (const OracleWindow& window : windows) {
    loss += WindowLoss(architecture, objective, tables, window, model);
  }
  return loss;
}

OracleModel NumericGradient(const std::vector<OracleWindow>& windows,
                            const ArchitectureOptions& architecture,
                            const ObjectiveOptions& objective,
                            const ObjectiveTables& tables,
                            const OracleModel& model) {
  OracleModel point = model;
  OracleModel gradient = model;
  const auto loss = [&] {
    return LossOf(windows, architecture, objective, tables, point);
  };
  for (size_t row = 0; row < point.input.size(); ++row) {
    Differentiate(loss, point.input[row], gradient.input[row]);
  }
  for (size_t row = 0; row < point.output.size(); ++row) {
    Differentiate(loss, point.output[row], gradient.output[row]);
  }
  Differentiate(loss, point.bias, gradient.bias);
  return gradient;
}

}  // namespace firth
