// The features of a text are looked up once. Each part converts them to values
// and sums rows weighted by these. Rows may be in any form.

#include "classify/text_scorer.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "classify/text_context.h"
#include "classify/weighted_rows.h"
#include "classify/wide_values.h"
#include "simd/dot.h"

namespace firth {
namespace {

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
    std::vector<float> row(hidden_.size());
    for (size_t c = 0; c < sums_.size(); ++c) {
      CopyRow(model_.output, c, absl::MakeSpan(row));
      DotRows(hidden_.data(), row.data(), 1, row.size(), row.size(), &sums_[c]);
    }
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
  tree_->FindMostProbable([this](uint32_t node) { return TurnAt(node); }, most,
                          least, &waiting_, found);
}

float TextScorer::TurnAt(uint32_t node) {
  const float* row = nullptr;
  if (const auto* const table = std::get_if<FloatTable>(&model_.output)) {
    row = table->Row(node).data();
  } else {
    node_row_.resize(hidden_.size());
    CopyRow(model_.output, node, absl::MakeSpan(node_row_));
    row = node_row_.data();
  }
  float score = 0;
  DotRows(hidden_.data(), row, 1, hidden_.size(), hidden_.size(), &score);
  return Sigmoid(model_.deep_scale * score);
}

}  // namespace firth
