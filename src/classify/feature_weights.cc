// What a feature adds to a label is linear in its value: a weight of the wide
// part, and of the deep part its row times that of the label. So a text's
// weights add up to its score, and features can be ranked without a text.

#include "classify/feature_weights.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "classify/hashed_names.h"
#include "classify/wide_values.h"
#include "vocab/huffman_tree.h"

namespace firth {
namespace {

// sum += factor * row of the table; `room` has a row's size.
void AddRow(const RowStore& table, uint32_t row, float factor,
            std::vector<float>* room, absl::Span<float> sum) {
  CopyRow(table, row, absl::MakeSpan(*room));
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += factor * (*room)[i];
}

// The rows of the output that lead to a label, each with its factor.
std::vector<std::pair<size_t, double>> OutputRows(const ClassifierModel& model,
                                                  size_t label) {
  if (model.link != LabelLink::kTree) return {{label, 1}};
  std::vector<std::pair<size_t, double>> rows;
  const HuffmanTree tree(model.label_counts, HuffmanTies::kInnerFirst);
  for (const HuffmanTree::Step step : tree.Path(ToWordId(label))) {
    rows.emplace_back(step.node, step.branch == 1 ? 1 : -1);
  }
  return rows;
}

// What the rows of the input are multiplied with, for a label.
std::vector<double> OutputOf(const ClassifierModel& model, size_t label) {
  const size_t dim = RowDim(model.input);
  std::vector<double> output(dim);
  std::vector<float> row(RowDim(model.output));
  const auto add = [&](size_t at, double factor) {
    CopyRow(model.output, at, absl::MakeSpan(row));
    for (size_t i = 0; i < dim; ++i) {
      output[i] += factor * static_cast<double>(row[i]);
    }
  };
  for (const auto& [at, factor] : OutputRows(model, label)) add(at, factor);
  if (model.link == LabelLink::kSoftmax) {
    const auto labels = static_cast<double>(model.labels.size());
    for (size_t at = 0; at < model.labels.size(); ++at) add(at, -1 / labels);
  }
  return output;
}

using RowNames = absl::flat_hash_map<uint32_t, std::string>;

// The `count` first in this order; ties by row. `names` are those of rows whose
// features do not know their text.
template <class Before>
std::vector<NgramWeight> First(const ClassifierModel& model,
                               std::vector<std::pair<uint32_t, double>> rows,
                               size_t count, const RowNames& names,
                               Before before) {
  count = std::min(count, rows.size());
  std::partial_sort(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(count),
                    rows.end(), [&](const auto& a, const auto& b) {
                      if (before(a.second, b.second)) return true;
                      if (before(b.second, a.second)) return false;
                      return a.first < b.first;
                    });
  std::vector<NgramWeight> first;
  for (const auto& [row, weight] : absl::MakeConstSpan(rows).first(count)) {
    const auto name = names.find(row);
    first.push_back(
        {name == names.end() ? model.features.Text(row) : name->second,
         weight});
  }
  return first;
}

}  // namespace

std::vector<FeatureValue> FeatureValues(const ClassifierModel& model,
                                        absl::Span<const FeatureCount> counts) {
  std::vector<WideFeature> wide;
  if (model.has_wide()) {
    AppendWideValues(counts, model.idf, model.features.first_character_row(),
                     &wide);
  }
  std::vector<FeatureValue> values;
  values.reserve(counts.size());
  uint64_t tokens = 0;
  auto next = wide.begin();  // of those that have an idf, in the same order
  for (const auto [row, count] : counts) {
    const bool has = next != wide.end() && next->row == row;
    values.push_back({row, has ? next->value : 0, static_cast<float>(count)});
    if (has) ++next;
    tokens += count;
  }
  for (FeatureValue& value : values) value.deep /= static_cast<float>(tokens);
  return values;
}

void SumScores(const ClassifierModel& model,
               absl::Span<const FeatureValue> values,
               absl::Span<float> scores) {
  std::fill(scores.begin(), scores.end(), 0.0f);
  if (model.has_wide()) {
    std::vector<float> room(RowDim(model.wide));
    for (const FeatureValue& value : values) {
      AddRow(model.wide, value.row, model.wide_scale * value.wide, &room,
             scores);
    }
  }
  if (!model.has_deep()) return;
  std::vector<float> hidden(RowDim(model.input));
  std::vector<float> room(hidden.size());
  for (const FeatureValue& value : values) {
    AddRow(model.input, value.row, value.deep, &room, absl::MakeSpan(hidden));
  }
  room.resize(RowDim(model.output));
  for (size_t row = 0; row < NumRows(model.output); ++row) {
    CopyRow(model.output, row, absl::MakeSpan(room));
    scores[row] +=
        model.deep_scale *
        std::inner_product(hidden.begin(), hidden.end(), room.begin(), 0.0f);
  }
}

LabelWeights::LabelWeights(const ClassifierModel& model, size_t label)
    : model_(model), label_(label) {
  if (model.has_wide()) wide_.resize(RowDim(model.wide));
  if (!model.has_deep()) return;
  input_.resize(RowDim(model.input));
  output_ = OutputOf(model, label);
}

double LabelWeights::WideWeight(uint32_t row) {
  CopyRow(model_.wide, row, absl::MakeSpan(wide_));
  const double own = static_cast<double>(wide_[label_]);
  if (model_.link != LabelLink::kSoftmax) return own;
  return own - std::accumulate(wide_.begin(), wide_.end(), 0.0) /
                   static_cast<double>(wide_.size());
}

double LabelWeights::DeepWeight(uint32_t row) {
  CopyRow(model_.input, row, absl::MakeSpan(input_));
  return std::inner_product(input_.begin(), input_.end(), output_.begin(), 0.0);
}

double LabelWeights::Of(const FeatureValue& value) {
  double weight = 0;
  if (!wide_.empty()) {
    weight += static_cast<double>(model_.wide_scale * value.wide) *
              WideWeight(value.row);
  }
  if (!input_.empty()) {
    weight += static_cast<double>(model_.deep_scale * value.deep) *
              DeepWeight(value.row);
  }
  return weight;
}

std::vector<NgramWeight> ExplainText(const ClassifierModel& model,
                                     absl::string_view text, size_t label,
                                     size_t count) {
  LabelWeights weights(model, label);
  FeatureIndex::Reader reader(model.features);
  std::vector<std::pair<uint32_t, double>> rows;
  for (const FeatureValue& value : FeatureValues(model, reader.Read(text))) {
    rows.emplace_back(value.row, weights.Of(value));
  }
  return First(model, std::move(rows), count, HashedNames(model.features, text),
               [](double a, double b) { return std::abs(a) > std::abs(b); });
}

std::vector<NgramWeight> StrongestNgrams(const ClassifierModel& model,
                                         size_t label, size_t count) {
  LabelWeights weights(model, label);
  std::vector<std::pair<uint32_t, double>> rows;
  for (uint32_t row = 0; row < model.features.rows(); ++row) {
    rows.emplace_back(row, weights.Of({row, 1, 1}));
  }
  return First(model, std::move(rows), count, {}, std::greater<>());
}

}  // namespace firth
