// The contribution of a feature to a label is linear in its value: a weight in
// the wide part, and in the deep part the product of its row with that of the
// label. The weights of a text therefore sum to its score, and features can be
// ranked without a text.

#include "classify/model/feature_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/matrix.h"
#include "classify/features/wide_values.h"
#include "simd/stored_rows.h"

namespace firth {
namespace {

// Computes sum += factor * row of the table; `room` has the size of a row.
void AddRow(const RowStore& table, uint32_t row, float factor,
            std::vector<float>* room, absl::Span<float> sum) {
  CopyRow(table, row, absl::MakeSpan(*room));
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += factor * (*room)[i];
}

using RowNames = absl::flat_hash_map<uint32_t, std::string>;

// Returns the `count` features of highest absolute weight, with ties broken by
// row. `names` are the names of rows whose features have no text.
std::vector<NgramWeight> Strongest(
    const ClassifierModel& model, std::vector<std::pair<uint32_t, double>> rows,
    size_t count, const RowNames& names) {
  count = std::min(count, rows.size());
  std::partial_sort(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(count),
                    rows.end(), [](const auto& a, const auto& b) {
                      const double first = std::abs(a.second);
                      const double second = std::abs(b.second);
                      return first != second ? first > second
                                             : a.first < b.first;
                    });
  std::vector<NgramWeight> strongest;
  for (const auto& [row, weight] : absl::MakeConstSpan(rows).first(count)) {
    const auto name = names.find(row);
    strongest.push_back(
        {name == names.end() ? model.features.Text(row) : name->second,
         weight});
  }
  return strongest;
}

// The vector by which rows of the input are multiplied for the score of a
// label. With a softmax, the mean of all labels is subtracted. With a tree, it
// is the signed sum over the path to the label.
class LabelOutputs {
 public:
  // Borrows both. `tree` is null unless the link is LabelLink::kTree.
  LabelOutputs(const ClassifierModel& model, const LabelTree* tree)
      : model_(model), tree_(tree), mean_(RowDim(model.input)) {
    if (model.link != LabelLink::kSoftmax) return;
    const size_t labels = NumRows(model.output);
    for (size_t label = 0; label < labels; ++label) {
      Add(label, 1 / static_cast<double>(labels), &mean_);
    }
  }

  // Returns the vector of a label, [dim].
  std::vector<double> Of(size_t label) const {
    std::vector<double> output(mean_.size());
    if (tree_ != nullptr) {
      for (const HuffmanTree::Step step : tree_->Path(label)) {
        Add(step.node, step.branch == 1 ? 1 : -1, &output);
      }
      return output;
    }
    Add(label, 1, &output);
    for (size_t i = 0; i < output.size(); ++i) output[i] -= mean_[i];
    return output;
  }

 private:
  // Computes sum += factor * row of the output.
  void Add(size_t row, double factor, std::vector<double>* sum) const {
    std::vector<float> values(RowDim(model_.output));
    CopyRow(model_.output, row, absl::MakeSpan(values));
    for (size_t i = 0; i < sum->size(); ++i) {
      (*sum)[i] += factor * static_cast<double>(values[i]);
    }
  }

  const ClassifierModel& model_;
  const LabelTree* tree_;
  std::vector<double> mean_;  // zeros if none is subtracted
};

// Maximum number of n-grams that are kept at a time, for all labels of a block.
constexpr size_t kMostKept = size_t{1} << 22;

// The weights of a feature for each label of a block.
class BlockWeights {
 public:
  BlockWeights(const ClassifierModel& model, const LabelTree* tree,
               size_t first, size_t end)
      : model_(model), first_(first), weights_(end - first) {
    if (model.has_wide()) wide_.resize(RowDim(model.wide));
    if (!model.has_deep()) return;
    input_.resize(RowDim(model.input));
    products_.resize(weights_.size());
    outputs_ = Matrix<float>(weights_.size(), input_.size());
    const LabelOutputs outputs(model, tree);
    for (size_t i = 0; i < weights_.size(); ++i) {
      const std::vector<double> output = outputs.Of(first + i);
      std::copy(output.begin(), output.end(), outputs_.Row(i));
    }
  }

  // Returns the weights of a row, valid until the next call.
  const std::vector<float>& Of(uint32_t row) {
    std::fill(weights_.begin(), weights_.end(), 0.0f);
    if (!wide_.empty()) AddWide(row);
    if (!input_.empty()) AddDeep(row);
    return weights_;
  }

 private:
  void AddWide(uint32_t row) {
    CopyRow(model_.wide, row, absl::MakeSpan(wide_));
    const auto mean = static_cast<float>(WideMean(model_, wide_));
    for (size_t i = 0; i < weights_.size(); ++i) {
      weights_[i] += model_.wide_scale * (wide_[first_ + i] - mean);
    }
  }

  void AddDeep(uint32_t row) {
    CopyRow(model_.input, row, absl::MakeSpan(input_));
    DotRows(input_.data(), outputs_.data(), outputs_.rows(), outputs_.cols(),
            outputs_.cols(), products_.data());
    for (size_t i = 0; i < weights_.size(); ++i) {
      weights_[i] += model_.deep_scale * products_[i];
    }
  }

  const ClassifierModel& model_;
  const size_t first_;
  std::vector<float> weights_;
  std::vector<float> wide_;   // one row
  std::vector<float> input_;  // one row
  std::vector<float> products_;
  Matrix<float> outputs_;  // multiplies rows of the input
};

// The added rows with the largest weights, at most `count`, with ties broken by
// row. Rows are added in ascending order.
class StrongestRows {
 public:
  void Add(float weight, uint32_t row, size_t count) {
    if (rows_.size() == count) {
      if (!(weight > rows_.front().first)) return;
      std::pop_heap(rows_.begin(), rows_.end(), Before);
      rows_.pop_back();
    }
    rows_.emplace_back(weight, row);
    std::push_heap(rows_.begin(), rows_.end(), Before);
  }

  // Returns the rows, strongest first.
  std::vector<NgramWeight> Take(const FeatureIndex& features) {
    std::sort_heap(rows_.begin(), rows_.end(), Before);
    std::vector<NgramWeight> ngrams;
    ngrams.reserve(rows_.size());
    for (const auto& [weight, row] : rows_) {
      ngrams.push_back({features.Text(row), static_cast<double>(weight)});
    }
    return ngrams;
  }

 private:
  using WeightedRow = std::pair<float, uint32_t>;

  static bool Before(const WeightedRow& a, const WeightedRow& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  }

  std::vector<WeightedRow> rows_;  // a heap with the weakest at the front
};

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
  auto next = wide.begin();  // features that have an idf, in the same order
  for (const auto [row, count] : counts) {
    const bool has = next != wide.end() && next->row == row;
    values.push_back({row, has ? next->value : 0, static_cast<float>(count)});
    if (has) ++next;
    tokens += count;
  }
  for (FeatureValue& value : values) value.deep /= static_cast<float>(tokens);
  return values;
}

double WideMean(const ClassifierModel& model, absl::Span<const float> row) {
  if (model.link != LabelLink::kSoftmax) return 0;
  return std::accumulate(row.begin(), row.end(), 0.0) /
         static_cast<double>(row.size());
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

LabelWeights::LabelWeights(const ClassifierModel& model, const LabelTree* tree,
                           size_t label)
    : model_(model), label_(label) {
  if (model.has_wide()) wide_.resize(RowDim(model.wide));
  if (!model.has_deep()) return;
  input_.resize(RowDim(model.input));
  output_ = LabelOutputs(model, tree).Of(label);
}

double LabelWeights::WideWeight(uint32_t row) {
  CopyRow(model_.wide, row, absl::MakeSpan(wide_));
  return static_cast<double>(wide_[label_]) - WideMean(model_, wide_);
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
                                     const LabelTree* tree,
                                     absl::string_view text, size_t label,
                                     size_t count) {
  LabelWeights weights(model, tree, label);
  FeatureIndex::Reader reader(model.features);
  std::vector<std::pair<uint32_t, double>> rows;
  for (const FeatureValue& value : FeatureValues(model, reader.Read(text))) {
    rows.emplace_back(value.row, weights.Of(value));
  }
  return Strongest(model, std::move(rows), count,
                   model.features.BucketNames(text));
}

void VisitStrongest(
    const ClassifierModel& model, const LabelTree* tree, size_t first,
    size_t end, size_t count,
    absl::FunctionRef<void(size_t label, std::vector<NgramWeight> ngrams)>
        visit) {
  count = std::min(count, model.features.rows());
  const size_t most = std::max<size_t>(1, kMostKept / (count + 1));
  for (size_t begin = first; begin < end; begin += most) {
    const size_t block = std::min(most, end - begin);
    BlockWeights weights(model, tree, begin, begin + block);
    std::vector<StrongestRows> strongest(block);
    for (uint32_t row = 0; count > 0 && row < model.features.rows(); ++row) {
      const std::vector<float>& of_row = weights.Of(row);
      for (size_t i = 0; i < block; ++i) {
        strongest[i].Add(of_row[i], row, count);
      }
    }
    for (size_t i = 0; i < block; ++i) {
      visit(begin + i, strongest[i].Take(model.features));
    }
  }
}

}  // namespace firth
