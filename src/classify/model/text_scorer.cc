// The features of a text are looked up once. Each part converts them to values
// and sums rows weighted by these. Rows may be in any form.

#include "classify/model/text_scorer.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

#include "base/prefetch.h"
#include "classify/model/text_context.h"
#include "simd/stored_rows.h"
#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "classify/model/text_scorer.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kFeaturesAhead = 12;

// Adds kVectors vectors of columns, starting at `at`. The last vector has
// `last` columns.
template <size_t kVectors, class D>
HWY_INLINE void AddColumnVectors(D d, ConstView<float> rows,
                                 absl::Span<const WideFeature> features,
                                 size_t at, size_t last, float* to) {
  const size_t lanes = hn::Lanes(d);
  const auto first_lanes = hn::FirstN(d, last);
  const bool is_whole = last == lanes;
  hn::Vec<D> sums[kVectors];
  for (size_t v = 0; v < kVectors; ++v) sums[v] = hn::Zero(d);
  for (size_t i = 0; i < features.size(); ++i) {
    if (i + kFeaturesAhead < features.size()) {
      PrefetchForRead(rows.Row(features[i + kFeaturesAhead].row) + at);
    }
    const float* const row = rows.Row(features[i].row) + at;
    const auto x = hn::Set(d, features[i].value);
    for (size_t v = 0; v + 1 < kVectors; ++v) {
      sums[v] = hn::MulAdd(x, hn::LoadU(d, row + v * lanes), sums[v]);
    }
    const float* const end = row + (kVectors - 1) * lanes;
    const auto values =
        is_whole ? hn::LoadU(d, end) : hn::MaskedLoad(first_lanes, d, end);
    sums[kVectors - 1] = hn::MulAdd(x, values, sums[kVectors - 1]);
  }
  HWY_ALIGN float lane[HWY_MAX_BYTES / sizeof(float)];
  for (size_t v = 0; v < kVectors; ++v) {
    hn::Store(sums[v], d, lane);
    const size_t count = v + 1 < kVectors ? lanes : last;
    for (size_t i = 0; i < count; ++i) to[at + v * lanes + i] += lane[i];
  }
}

void AddWeightedFloats(ConstView<float> rows,
                       absl::Span<const WideFeature> features, float* to) {
  const hn::CappedTag<float, 8> d;
  const size_t lanes = hn::Lanes(d);
  size_t at = 0;
  for (; at + 4 * lanes <= rows.cols(); at += 4 * lanes) {
    AddColumnVectors<4>(d, rows, features, at, lanes, to);
  }
  const size_t left = rows.cols() - at;
  if (left == 0) return;
  const size_t vectors = (left + lanes - 1) / lanes;
  const size_t last = left - (vectors - 1) * lanes;
  if (vectors == 1) AddColumnVectors<1>(d, rows, features, at, last, to);
  if (vectors == 2) AddColumnVectors<2>(d, rows, features, at, last, to);
  if (vectors == 3) AddColumnVectors<3>(d, rows, features, at, last, to);
  if (vectors == 4) AddColumnVectors<4>(d, rows, features, at, last, to);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {

HWY_EXPORT(AddWeightedFloats);

namespace {

// Computes sums[c] += value * rows(row, c) over the features, in their order.
// sums: [cols].
void AddWeightedRows(const RowStore& rows,
                     absl::Span<const WideFeature> features,
                     absl::Span<float> sums) {
  if (const auto* const floats = std::get_if<FloatTable>(&rows)) {
    HWY_DYNAMIC_DISPATCH(AddWeightedFloats)(*floats, features, sums.data());
    return;
  }
  std::vector<float> row(sums.size());
  for (const WideFeature feature : features) {
    CopyRow(rows, feature.row, absl::MakeSpan(row));
    for (size_t c = 0; c < row.size(); ++c) sums[c] += feature.value * row[c];
  }
}

// A mean of rows needs no counts, and reading rows of floats again is cheap.
Repeats RepeatsFor(const ClassifierModel& model) {
  const bool reads_floats = std::holds_alternative<FloatTable>(model.input);
  return reads_floats && !model.has_wide() ? Repeats::kApart
                                           : Repeats::kCounted;
}

float Sigmoid(float score) { return 1 / (1 + std::exp(-score)); }

// Implements LabelLink::kTableSigmoid.
float TableSigmoid(float score) {
  if (score < -8) return 0;
  if (score > 8) return 1;
  return Sigmoid(std::floor(score * 32) / 32);
}

}  // namespace

std::vector<float> LabelPrior(const ClassifierModel& model) {
  // Only models from fastText files have a prefix here.
  if (!model.features.options().label_prefix.empty()) return {};
  const std::vector<uint64_t>& counts = model.label_counts;
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double texts = model.several_labels && model.texts > 0
                           ? static_cast<double>(model.texts)
                           : all;
  if (!(texts > 0)) return {};
  std::vector<float> prior;
  prior.reserve(counts.size());
  for (const uint64_t count : counts) {
    prior.push_back(
        static_cast<float>(std::min(1.0, static_cast<double>(count) / texts)));
  }
  return prior;
}

void ToProbabilities(LabelLink link, absl::Span<float> scores) {
  if (link == LabelLink::kSigmoid || link == LabelLink::kTableSigmoid) {
    const bool is_table = link == LabelLink::kTableSigmoid;
    for (float& score : scores) {
      score = is_table ? TableSigmoid(score) : Sigmoid(score);
    }
    return;
  }
  const float greatest = *std::max_element(scores.begin(), scores.end());
  float sum = 0;
  for (float& score : scores) sum += score = std::exp(score - greatest);
  for (float& score : scores) score /= sum;
}

TextScorer::TextScorer(const ClassifierModel& model, const LabelTree* tree,
                       absl::Span<const float> prior)
    : model_(model),
      tree_(tree),
      prior_(prior),
      reader_(model.features, RepeatsFor(model)),
      sums_(model.labels.size()) {
  at_end_ = CountKnown("", /*has_context=*/false);
}

uint64_t TextScorer::CountKnown(absl::string_view text, bool has_context) {
  Read(text, has_context);
  return known_;
}

absl::Span<const FeatureCount> TextScorer::Read(absl::string_view text,
                                                bool has_context) {
  const absl::Span<const FeatureCount> features = reader_.Read(text);
  known_ = 0;
  for (const FeatureCount feature : features) known_ += feature.count;
  known_ -= at_end_;
  const size_t end = model_.features.options().hashing ? 1 : 0;
  if (has_context) known_ += reader_.tokens() - end;
  return features;
}

absl::Span<const float> TextScorer::Score(absl::string_view text,
                                          const float* context) {
  probabilities_.resize(model_.labels.size());
  const absl::Span<float> probabilities = absl::MakeSpan(probabilities_);
  const absl::Span<const FeatureCount> features =
      Read(text, context != nullptr);
  if (HasPriorAlone()) {
    std::copy(prior_.begin(), prior_.end(), probabilities.begin());
    return probabilities;
  }
  if (model_.has_deep()) SetHidden(features, context);
  if (tree_ != nullptr) {
    SetLeaves(probabilities);
    return probabilities;
  }
  std::copy(model_.bias.begin(), model_.bias.end(), probabilities.begin());
  if (model_.has_wide()) AddWide(features, probabilities);
  if (model_.has_deep()) AddDeep(probabilities);
  ToProbabilities(model_.link, probabilities);
  return probabilities;
}

void TextScorer::AddWide(absl::Span<const FeatureCount> features,
                         absl::Span<float> scores) {
  features_.clear();
  AppendWideValues(features, model_.idf, model_.features.first_character_row(),
                   &features_);
  features_.pop_back();  // the bias is not in the table
  std::fill(sums_.begin(), sums_.end(), 0.0f);
  AddWeightedRows(model_.wide, features_, absl::MakeSpan(sums_));
  for (size_t c = 0; c < scores.size(); ++c) {
    scores[c] += model_.wide_scale * sums_[c];
  }
}

void TextScorer::SetHidden(absl::Span<const FeatureCount> features,
                           const float* context) {
  const size_t dim = RowDim(model_.input);
  const size_t context_dim = model_.context_mean.size();
  hidden_.assign(dim + context_dim, 0.0f);
  features_.clear();
  uint64_t tokens = 0;
  for (const FeatureCount feature : features) tokens += feature.count;
  const float share = 1 / static_cast<float>(std::max<uint64_t>(tokens, 1));
  for (const FeatureCount feature : features) {
    features_.push_back(
        {feature.row, static_cast<float>(feature.count) * share});
  }
  AddWeightedRows(model_.input, features_,
                  absl::MakeSpan(hidden_).subspan(0, dim));
  if (context == nullptr) return;
  std::copy_n(context, context_dim, hidden_.begin() + dim);
  ScaleContext(model_, hidden_.data() + dim);
}

void TextScorer::AddDeep(absl::Span<float> scores) {
  if (const auto* const table = std::get_if<FloatTable>(&model_.output)) {
    DotRows(hidden_.data(), table->data(), table->rows(), table->stride(),
            table->cols(), sums_.data());
  } else {
    for (size_t c = 0; c < sums_.size(); ++c) sums_[c] = OutputScore(c);
  }
  for (size_t c = 0; c < scores.size(); ++c) {
    scores[c] += model_.deep_scale * sums_[c];
  }
}

void TextScorer::SetLeaves(absl::Span<float> probabilities) {
  nodes_.assign(tree_->num_nodes(), 0.0f);
  sums_.resize(nodes_.size());
  AddDeep(absl::MakeSpan(nodes_));
  for (float& node : nodes_) node = Sigmoid(node);
  for (size_t label = 0; label < probabilities.size(); ++label) {
    probabilities[label] = tree_->Probability(label, nodes_);
  }
}

void TextScorer::FindMostProbable(absl::string_view text, const float* context,
                                  size_t most, double least,
                                  std::vector<LabelProbability>* found) {
  const absl::Span<const FeatureCount> features =
      Read(text, context != nullptr);
  if (HasPriorAlone()) {
    // The most frequent labels come first.
    for (size_t label = 0; label < prior_.size() && label < most; ++label) {
      if (static_cast<double>(prior_[label]) < least) break;
      found->push_back({label, prior_[label]});
    }
    return;
  }
  SetHidden(features, context);
  tree_->FindMostProbable(
      [this](uint32_t node) {
        return Sigmoid(model_.deep_scale * OutputScore(node));
      },
      most, least, &waiting_, found);
}

float TextScorer::OutputScore(size_t row) {
  const float* values = nullptr;
  if (const auto* const table = std::get_if<FloatTable>(&model_.output)) {
    values = table->Row(row).data();
  } else {
    node_row_.resize(hidden_.size());
    CopyRow(model_.output, row, absl::MakeSpan(node_row_));
    values = node_row_.data();
  }
  float score = 0;
  DotRows(hidden_.data(), values, 1, hidden_.size(), hidden_.size(), &score);
  return score;
}

}  // namespace firth
#endif  // HWY_ONCE
