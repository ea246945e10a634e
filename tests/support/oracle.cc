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
  size_t first_row;  // of the output table's half, if it has two

  double operator()(const NegativeSamplingOptions&) const {
    double loss = -LogSigmoid(Dot(hidden, model.output[first_row + target]));
    for (const size_t word : noise) {
      if (word == target) continue;
      loss -= LogSigmoid(-Dot(hidden, model.output[first_row + word]));
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

std::vector<double> MeanOfContext(const OracleModel& model,
                                  const OracleWindow& window) {
  std::vector<double> mean(model.input[0].size(), 0.0);
  for (size_t k = 0; k < window.context.size(); ++k) {
    for (size_t i = 0; i < mean.size(); ++i) {
      const double weight =
          model.position_weights.empty()
              ? 1
              : model.position_weights[window.positions[k]][i];
      mean[i] += weight * model.input[window.context[k]][i] /
                 static_cast<double>(window.context.size());
    }
  }
  return mean;
}

DoubleRows ToDouble(const PaddedMatrix& matrix) {
  DoubleRows rows;
  for (size_t row = 0; row < matrix.rows(); ++row) {
    rows.emplace_back(matrix.Row(row), matrix.Row(row) + matrix.cols());
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

// The loss of a window under each architecture; one overload each.
struct WindowLoss {
  const ObjectiveOptions& objective;
  const ObjectiveTables& tables;
  const OracleModel& model;
  const OracleWindow& window;

  double OfPair(const std::vector<double>& hidden, size_t target,
                size_t first_row) const {
    return std::visit(
        PairLoss{tables, model, hidden, target, window.noise, first_row},
        objective);
  }

  double operator()(const CbowOptions&) const {
    return OfPair(MeanOfContext(model, window), window.center, 0);
  }

  double operator()(const SkipGramOptions& options) const {
    const bool center_is_input =
        std::holds_alternative<FullSoftmaxOptions>(objective);
    double loss = 0;
    for (size_t k = 0; k < window.context.size(); ++k) {
      const size_t word = window.context[k];
      const bool is_behind = window.positions[k] >= window.reach;
      const size_t first_row =
          options.directional && is_behind ? model.output.size() / 2 : 0;
      loss += center_is_input
                  ? OfPair(model.input[window.center], word, first_row)
                  : OfPair(model.input[word], window.center, first_row);
    }
    return loss;
  }
};

}  // namespace

OracleModel CopyModel(const EmbeddingModel& model) {
  OracleModel copy;
  copy.input = ToDouble(model.input().Quiet());
  copy.output = ToDouble(model.output().Quiet());
  if (model.has_output_bias()) {
    copy.bias = ToDouble(model.output_bias().Quiet())[0];
  }
  copy.position_weights = ToDouble(model.position_weights().Quiet());
  return copy;
}

double LossOf(const std::vector<OracleWindow>& windows,
              const ArchitectureOptions& architecture,
              const ObjectiveOptions& objective, const ObjectiveTables& tables,
              const OracleModel& model) {
  double loss = 0;
  for (const OracleWindow& window : windows) {
    loss +=
        std::visit(WindowLoss{objective, tables, model, window}, architecture);
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
  for (size_t row = 0; row < point.position_weights.size(); ++row) {
    Differentiate(loss, point.position_weights[row],
                  gradient.position_weights[row]);
  }
  return gradient;
}

}  // namespace firth
