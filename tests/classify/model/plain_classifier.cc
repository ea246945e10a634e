#include "classify/model/plain_classifier.h"

#include <algorithm>
#include <cmath>

#include "absl/types/span.h"
#include "vocab/huffman_tree.h"

namespace firth {
namespace {

double Sigmoid(double score) { return 1 / (1 + std::exp(-score)); }

double TableSigmoid(double score) {
  if (score < -8) return 0;
  if (score > 8) return 1;
  return Sigmoid(std::floor(score * 32) / 32);
}

std::vector<double> RowOf(const RowStore& rows, size_t row) {
  std::vector<float> values(RowDim(rows));
  CopyRow(rows, row, absl::MakeSpan(values));
  return {values.begin(), values.end()};
}

// sum += factor * row
void Add(const std::vector<double>& row, double factor,
         std::vector<double>* sum) {
  for (size_t i = 0; i < row.size(); ++i) (*sum)[i] += factor * row[i];
}

std::vector<double> Wide(const ClassifierModel& model,
                         absl::Span<const FeatureCount> features) {
  double norms[2] = {0, 0};
  const auto value = [&](const FeatureCount& feature) {
    return (1 + std::log(double{static_cast<double>(feature.count)})) *
           static_cast<double>(model.idf[feature.row]);
  };
  const auto group = [&](const FeatureCount& feature) {
    return feature.row >= model.features.first_character_row() ? 1 : 0;
  };
  for (const FeatureCount& feature : features) {
    norms[group(feature)] += value(feature) * value(feature);
  }
  std::vector<double> scores(model.labels.size());
  for (const FeatureCount& feature : features) {
    const double norm = std::sqrt(norms[group(feature)]);
    if (norm == 0) continue;
    Add(RowOf(model.wide, feature.row), value(feature) / norm, &scores);
  }
  return scores;
}

std::vector<double> Deep(const ClassifierModel& model,
                         absl::Span<const FeatureCount> features) {
  std::vector<double> hidden(RowDim(model.input));
  double count = 0;
  for (const FeatureCount& feature : features) {
    Add(RowOf(model.input, feature.row), feature.count, &hidden);
    count += feature.count;
  }
  std::vector<double> scores;
  for (size_t row = 0; row < NumRows(model.output); ++row) {
    const std::vector<double> output = RowOf(model.output, row);
    double score = 0;
    for (size_t i = 0; i < hidden.size(); ++i) score += hidden[i] * output[i];
    scores.push_back(count > 0 ? score / count : 0);
  }
  return scores;
}

std::vector<double> WalkTree(const ClassifierModel& model,
                             const std::vector<double>& nodes) {
  const HuffmanTree tree(model.label_counts, HuffmanTies::kInnerFirst);
  std::vector<double> probabilities;
  for (size_t label = 0; label < model.labels.size(); ++label) {
    double product = 1;
    for (const HuffmanTree::Step step : tree.Path(ToWordId(label))) {
      const double score =
          static_cast<double>(model.deep_scale) * nodes[step.node];
      product *= Sigmoid(step.branch == 1 ? score : -score);
    }
    probabilities.push_back(product);
  }
  return probabilities;
}

}  // namespace

std::vector<double> PlainProbabilities(const ClassifierModel& model,
                                       absl::string_view text) {
  FeatureIndex::Reader reader(model.features);
  const absl::Span<const FeatureCount> features = reader.Read(text);
  std::vector<double> deep;
  if (model.has_deep()) deep = Deep(model, features);
  if (model.link == LabelLink::kTree) return WalkTree(model, deep);
  std::vector<double> scores(model.bias.begin(), model.bias.end());
  if (model.has_deep()) {
    Add(deep, static_cast<double>(model.deep_scale), &scores);
  }
  if (model.has_wide()) {
    Add(Wide(model, features), static_cast<double>(model.wide_scale), &scores);
  }
  double sum = 0;
  for (double& score : scores) {
    score = model.link == LabelLink::kSoftmax   ? std::exp(score)
            : model.link == LabelLink::kSigmoid ? Sigmoid(score)
                                                : TableSigmoid(score);
    sum += score;
  }
  for (double& score : scores) {
    if (model.link == LabelLink::kSoftmax) score /= sum;
  }
  return scores;
}

}  // namespace firth
