#include "classify/rank_features.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/matrix.h"
#include "classify/feature_weights.h"

namespace firth {
namespace {

// The sums over texts of x_f^2 and of (t_f / sum t)^2.
struct ValueSums {
  std::vector<double> wide;
  std::vector<double> deep;
};

ValueSums SumValues(const ClassifierModel& model,
                    absl::Span<const absl::string_view> texts) {
  const size_t rows = model.features.rows();
  const double first = texts.empty() ? 1 : 0;
  ValueSums sums{std::vector<double>(rows, first),
                 std::vector<double>(rows, first)};
  FeatureIndex::Reader reader(model.features);
  for (const absl::string_view text : texts) {
    for (const auto& [row, wide, deep] :
         FeatureValues(model, reader.Read(text))) {
      sums.wide[row] += static_cast<double>(wide * wide);
      sums.deep[row] += static_cast<double>(deep * deep);
    }
  }
  return sums;
}

// Returns the rows of the output table that give the scores, minus their mean
// with a softmax: [rows, dim].
Matrix<double> CenteredOutput(const ClassifierModel& model) {
  const size_t dim = RowDim(model.input);
  Matrix<double> output(NumRows(model.output), dim);
  std::vector<double> mean(dim);
  std::vector<float> row(RowDim(model.output));
  for (size_t i = 0; i < output.rows(); ++i) {
    CopyRow(model.output, i, absl::MakeSpan(row));
    std::copy_n(row.begin(), dim, output.Row(i));
    for (size_t at = 0; at < dim; ++at) {
      mean[at] += output.Row(i)[at] / static_cast<double>(output.rows());
    }
  }
  if (model.link != LabelLink::kSoftmax) return output;
  for (size_t i = 0; i < output.rows(); ++i) {
    for (size_t at = 0; at < dim; ++at) output.Row(i)[at] -= mean[at];
  }
  return output;
}

// Returns G = O^T O, for which |O v|^2 = v^T G v: [dim, dim].
Matrix<double> Gram(const Matrix<double>& output) {
  Matrix<double> gram(output.cols(), output.cols());
  for (size_t row = 0; row < output.rows(); ++row) {
    const double* const values = output.Row(row);
    for (size_t i = 0; i < gram.rows(); ++i) {
      for (size_t j = 0; j < gram.cols(); ++j) {
        gram.Row(i)[j] += values[i] * values[j];
      }
    }
  }
  return gram;
}

double WideEnergy(const ClassifierModel& model, uint32_t row,
                  std::vector<float>* room) {
  CopyRow(model.wide, row, absl::MakeSpan(*room));
  const double mean = model.link == LabelLink::kSoftmax
                          ? std::accumulate(room->begin(), room->end(), 0.0) /
                                static_cast<double>(room->size())
                          : 0;
  double energy = 0;
  for (const float weight : *room) {
    const double above = static_cast<double>(weight) - mean;
    energy += above * above;
  }
  return energy;
}

double DeepEnergy(const ClassifierModel& model, const Matrix<double>& gram,
                  uint32_t row, std::vector<float>* room) {
  CopyRow(model.input, row, absl::MakeSpan(*room));
  double energy = 0;
  for (size_t i = 0; i < gram.rows(); ++i) {
    double sum = 0;
    for (size_t j = 0; j < gram.cols(); ++j) {
      sum += gram.Row(i)[j] * static_cast<double>((*room)[j]);
    }
    energy += sum * static_cast<double>((*room)[i]);
  }
  return energy;
}

}  // namespace

std::vector<uint32_t> RankFeatures(const ClassifierModel& model,
                                   absl::Span<const absl::string_view> texts) {
  const ValueSums sums = SumValues(model, texts);
  std::vector<double> energies(model.features.rows());
  if (model.has_wide()) {
    const double scale = std::pow(static_cast<double>(model.wide_scale), 2);
    std::vector<float> room(RowDim(model.wide));
    for (uint32_t row = 0; row < energies.size(); ++row) {
      energies[row] += scale * sums.wide[row] * WideEnergy(model, row, &room);
    }
  }
  if (model.has_deep()) {
    const double scale = std::pow(static_cast<double>(model.deep_scale), 2);
    const Matrix<double> gram = Gram(CenteredOutput(model));
    std::vector<float> room(RowDim(model.input));
    for (uint32_t row = 0; row < energies.size(); ++row) {
      energies[row] +=
          scale * sums.deep[row] * DeepEnergy(model, gram, row, &room);
    }
  }
  std::vector<uint32_t> ranked(energies.size());
  std::iota(ranked.begin(), ranked.end(), 0u);
  std::stable_sort(ranked.begin(), ranked.end(), [&](uint32_t a, uint32_t b) {
    return energies[a] > energies[b];
  });
  return ranked;
}

}  // namespace firth
