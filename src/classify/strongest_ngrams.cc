// Each feature's weights for all labels are computed at once, and each label
// keeps the strongest so far. The time is that of reading the tables and of
// their product, for any number of labels. If the n-grams of all labels would
// take too much memory, labels are processed in blocks.

#include "classify/strongest_ngrams.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "base/matrix.h"
#include "classify/feature_weights.h"
#include "simd/dot.h"

namespace firth {
namespace {

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
    const double mean = model_.link == LabelLink::kSoftmax
                            ? std::accumulate(wide_.begin(), wide_.end(), 0.0) /
                                  static_cast<double>(wide_.size())
                            : 0;
    for (size_t i = 0; i < weights_.size(); ++i) {
      weights_[i] +=
          model_.wide_scale * (wide_[first_ + i] - static_cast<float>(mean));
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
