// The rows of a text are read twice, for their mean and for their step, and are
// prefetched a few features ahead. Sums stay in registers: columns are
// processed in blocks of up to four vectors, and padding makes the last vector
// whole.

#include "classify/train/deep_step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "classify/train/deep_step.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "simd/exp-inl.h"
#include "simd/row_ops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// Each feature's row is prefetched this many features before its use.
constexpr size_t kRowsAhead = 8;

HWY_INLINE void PrefetchRow(SharedRow row, size_t columns) {
  for (size_t at = 0; at < columns; at += kRowFloats) PrefetchElement(row, at);
}

template <size_t kVectors, bool kPrefetch>
HWY_INLINE void MeanColumns(absl::Span<const FeatureCount> features,
                            float scale, size_t at, size_t columns,
                            SharedMatrix& input, float* to) {
  const FloatTag d;
  FloatVec sums[kVectors];
  for (size_t v = 0; v < kVectors; ++v) sums[v] = hn::Zero(d);
  const size_t count = features.size();
  for (size_t i = 0; i < count; ++i) {
    if (kPrefetch && i + kRowsAhead < count) {
      PrefetchRow(input.Row(features[i + kRowsAhead].row), columns);
    }
    const SharedRow row = input.Row(features[i].row);
    const FloatVec weight = hn::Set(d, static_cast<float>(features[i].count));
    for (size_t v = 0; v < kVectors; ++v) {
      sums[v] =
          hn::MulAdd(weight, LoadLanes(row, at + v * FloatLanes()), sums[v]);
    }
  }
  for (size_t v = 0; v < kVectors; ++v) {
    hn::Store(hn::Mul(sums[v], hn::Set(d, scale)), d,
              to + at + v * FloatLanes());
  }
}

HWY_INLINE void MeanOfRows(absl::Span<const FeatureCount> features, float scale,
                           SharedMatrix& input, float* to) {
  const size_t columns = VisitedColumns(input.cols());
  const size_t lanes = FloatLanes();
  size_t at = 0;
  if (columns >= 4 * lanes) {
    MeanColumns<4, true>(features, scale, 0, columns, input, to);
    at = 4 * lanes;
  } else if (columns >= 2 * lanes) {
    MeanColumns<2, true>(features, scale, 0, columns, input, to);
    at = 2 * lanes;
  }
  for (; at + 4 * lanes <= columns; at += 4 * lanes) {
    MeanColumns<4, false>(features, scale, at, columns, input, to);
  }
  for (; at < columns; at += lanes) {
    MeanColumns<1, true>(features, scale, at, at + lanes, input, to);
  }
}

template <size_t kVectors>
HWY_INLINE void AddToRows(absl::Span<const FeatureCount> features, float scale,
                          const float* from, size_t at, SharedMatrix& input) {
  const FloatTag d;
  FloatVec steps[kVectors];
  for (size_t v = 0; v < kVectors; ++v) {
    steps[v] =
        hn::Mul(hn::Set(d, scale), hn::Load(d, from + at + v * FloatLanes()));
  }
  for (const FeatureCount feature : features) {
    const SharedRow row = input.Row(feature.row);
    const FloatVec weight = hn::Set(d, static_cast<float>(feature.count));
    for (size_t v = 0; v < kVectors; ++v) {
      AddToLanes(row, at + v * FloatLanes(), hn::Mul(weight, steps[v]));
    }
  }
}

HWY_INLINE void GiveToRows(absl::Span<const FeatureCount> features, float scale,
                           const float* from, SharedMatrix& input) {
  const size_t columns = VisitedColumns(input.cols());
  const size_t lanes = FloatLanes();
  size_t at = 0;
  for (; at + 4 * lanes <= columns; at += 4 * lanes) {
    AddToRows<4>(features, scale, from, at, input);
  }
  for (; at + 2 * lanes <= columns; at += 2 * lanes) {
    AddToRows<2>(features, scale, from, at, input);
  }
  for (; at < columns; at += lanes) {
    AddToRows<1>(features, scale, from, at, input);
  }
}

// Returns one divided by the number of the text's tokens, or 0 for a text
// without tokens.
HWY_INLINE float InverseCount(absl::Span<const FeatureCount> features) {
  uint64_t count = 0;
  for (const FeatureCount feature : features) count += feature.count;
  return count > 0 ? 1.0f / static_cast<float>(count) : 0.0f;
}

void SetHiddenTarget(absl::Span<const FeatureCount> features,
                     const float* context, DeepTables& tables, DeepRoom& room) {
  float* const hidden = room.hidden.data();
  MeanOfRows(features, InverseCount(features), tables.input, hidden);
  const size_t dim = tables.input.cols();
  const size_t context_dim = tables.output.cols() - dim;
  if (context_dim > 0) std::copy_n(context, context_dim, hidden + dim);
}

void ScoreDeepTarget(DeepTables& tables, const DeepRoom& room, float* scores) {
  const size_t columns = VisitedColumns(tables.output.cols());
  for (size_t row = 0; row < tables.output.rows(); ++row) {
    scores[row] = Dot(tables.output.Row(row), room.hidden.data(), columns);
  }
}

void ScoreTurnsTarget(absl::Span<const HuffmanTree::Step> path,
                      DeepTables& tables, const DeepRoom& room, float* scores) {
  const size_t columns = VisitedColumns(tables.output.cols());
  for (const HuffmanTree::Step step : path) {
    const float score =
        Dot(tables.output.Row(step.node), room.hidden.data(), columns);
    *scores++ = step.branch == 1 ? score : -score;
  }
}

// The backward pass through one output row: gradient += step row, row += step
// hidden.
HWY_INLINE void StepOutput(float step, SharedRow row, size_t columns,
                           const float* hidden, float* gradient) {
  const FloatTag d;
  const FloatVec factor = hn::Set(d, step);
  for (size_t at = 0; at < columns; at += FloatLanes()) {
    const FloatVec lanes = LoadLanes(row, at);
    hn::Store(hn::MulAdd(factor, lanes, hn::Load(d, gradient + at)), d,
              gradient + at);
    AddToLanes(row, at, hn::Mul(factor, hn::Load(d, hidden + at)));
  }
}

// Replaces scores by the exponentials of their differences from the maximum,
// and returns their sum. The padding after `count` becomes 0.
HWY_INLINE float Exponentials(size_t count, float* scores) {
  const FloatTag d;
  const size_t padded = VisitedColumns(count);
  float greatest = scores[0];
  for (size_t i = 1; i < count; ++i) greatest = std::max(greatest, scores[i]);
  FloatVec sum = hn::Zero(d);
  for (size_t at = 0; at < padded; at += FloatLanes()) {
    const FloatVec below =
        hn::Sub(hn::Load(d, scores + at), hn::Set(d, greatest));
    FloatVec e = BoundedExp(d, below);
    // BoundedExp() hides a NaN; this restores it.
    e = hn::MulAdd(below, hn::Zero(d), e);
    const size_t here = std::min(count - at, FloatLanes());
    e = hn::IfThenElseZero(hn::FirstN(d, here), e);
    hn::Store(e, d, scores + at);
    sum = hn::Add(sum, e);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// One step of a text whose hidden vector has been computed.
class Stepper {
 public:
  HWY_INLINE Stepper(float learning_rate, DeepTables& tables, DeepRoom& room)
      : learning_rate_(learning_rate),
        output_(room.output),
        rows_(tables.output.rows()),
        columns_(VisitedColumns(tables.output.cols())),
        hidden_(room.hidden.data()),
        gradient_(room.gradient.data()),
        scores_(room.scores.data()) {
    std::fill_n(gradient_, columns_, 0.0f);
  }

  HWY_INLINE double Softmax(uint32_t target) {
    const size_t labels = rows_;
    for (size_t j = 0; j < labels; ++j) {
      scores_[j] = Dot(output_.Row(j), hidden_, columns_);
    }
    const float sum = Exponentials(labels, scores_);
    const float scale = learning_rate_ / sum;
    const float right = scores_[target] / sum;
    for (size_t j = 0; j < labels; ++j) {
      const float step =
          (j == target ? learning_rate_ : 0.0f) - scale * scores_[j];
      StepOutput(step, output_.Row(j), columns_, hidden_, gradient_);
    }
    return -std::log(std::max(right, std::numeric_limits<float>::min())) +
           0 * static_cast<double>(sum);
  }

  HWY_INLINE double Binary(uint32_t row_number, bool target) {
    const SharedRow row = output_.Row(row_number);
    const float score = Dot(row, hidden_, columns_);
    // e / (1 + e) is the probability of the wrong answer, and ln(1 + e) is -ln
    // of the probability of the right one.
    const float e = std::exp(std::min(target ? -score : score, 80.0f));
    const float wrong = e / (1 + e);
    StepOutput(target ? learning_rate_ * wrong : -learning_rate_ * wrong, row,
               columns_, hidden_, gradient_);
    return std::log1p(static_cast<double>(e)) + 0 * static_cast<double>(score);
  }

  HWY_INLINE double OneVsAll(absl::Span<const uint32_t> labels) {
    double loss = 0;
    auto next = labels.begin();
    for (uint32_t j = 0; j < rows_; ++j) {
      const bool has = next != labels.end() && *next == j;
      if (has) ++next;
      loss += Binary(j, has);
    }
    return loss;
  }

  HWY_INLINE double Tree(const HuffmanTree& tree, uint32_t target) {
    double loss = 0;
    for (const HuffmanTree::Step step : tree.Path(ToWordId(target))) {
      loss += Binary(step.node, step.branch == 1);
    }
    return loss;
  }

  HWY_INLINE double Sampled(const DeepLoss& loss, uint32_t target, Rng* rng) {
    double sum = Binary(target, true);
    for (uint64_t i = 0; i < loss.negatives(); ++i) {
      const uint32_t drawn = Index(loss.noise().Sample(*rng));
      if (drawn != target) sum += Binary(drawn, false);
    }
    return sum;
  }

 private:
  const float learning_rate_;
  WorkerTable& output_;
  const size_t rows_;
  const size_t columns_;
  const float* const hidden_;
  float* const gradient_;
  float* const scores_;
};

void ExchangeDeepTarget(size_t thread, size_t threads, DeepRoom& room) {
  ExchangeHotRows(thread, threads, room.hidden.cols(), room.output.num_hot(),
                  &room.output);
}

double StepDeepTarget(const DeepText& text, const DeepLoss& loss,
                      float learning_rate, uint64_t key, DeepTables& tables,
                      DeepRoom& room) {
  SetHiddenTarget(text.features, text.context, tables, room);
  Stepper stepper(learning_rate, tables, room);
  Rng rng(key);
  const auto target = [&] {
    const auto count = static_cast<uint32_t>(text.labels.size());
    return text.labels[count == 1 ? 0 : rng.Below(count)];
  };
  double nats = 0;
  switch (loss.kind()) {
    case DeepLoss::Kind::kSoftmax:
      nats = stepper.Softmax(target());
      break;
    case DeepLoss::Kind::kOneVsAll:
      nats = stepper.OneVsAll(text.labels);
      break;
    case DeepLoss::Kind::kTree:
      nats = stepper.Tree(loss.tree(), target());
      break;
    case DeepLoss::Kind::kSampled:
      nats = stepper.Sampled(loss, target(), &rng);
  }
  // The context has no rows in the input table, so its columns must not enter
  // the padding of those rows.
  const size_t dim = tables.input.cols();
  float* const gradient = room.gradient.data();
  if (text.context_step != nullptr) {
    std::copy_n(gradient + dim, tables.output.cols() - dim, text.context_step);
  }
  std::fill(gradient + dim, gradient + std::max(dim, VisitedColumns(dim)),
            0.0f);
  GiveToRows(text.features, InverseCount(text.features), gradient,
             tables.input);
  return nats;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {

HWY_EXPORT(StepDeepTarget);
HWY_EXPORT(ExchangeDeepTarget);
HWY_EXPORT(SetHiddenTarget);
HWY_EXPORT(ScoreDeepTarget);
HWY_EXPORT(ScoreTurnsTarget);

DeepLoss::DeepLoss(const LabelLoss& loss, absl::Span<const uint64_t> counts)
    : kind_(Kind::kSoftmax), output_rows_(counts.size()) {
  if (std::holds_alternative<OneVsAllLoss>(loss)) kind_ = Kind::kOneVsAll;
  if (std::holds_alternative<TreeLabelLoss>(loss)) {
    kind_ = Kind::kTree;
    tree_.emplace(counts, HuffmanTies::kInnerFirst);
    output_rows_ = tree_->num_nodes();
  }
  if (const auto* const sampled = std::get_if<SampledLabelLoss>(&loss)) {
    kind_ = Kind::kSampled;
    negatives_ = sampled->negatives;
    noise_.emplace(counts, 0.5);
  }
}

void ExchangeDeep(size_t thread, size_t threads, DeepRoom& room) {
  HWY_DYNAMIC_DISPATCH(ExchangeDeepTarget)(thread, threads, room);
}

double StepDeep(const DeepText& text, const DeepLoss& loss, float learning_rate,
                uint64_t key, DeepTables& tables, DeepRoom& room) {
  return HWY_DYNAMIC_DISPATCH(StepDeepTarget)(text, loss, learning_rate, key,
                                              tables, room);
}

void SetHidden(absl::Span<const FeatureCount> features, const float* context,
               DeepTables& tables, DeepRoom& room) {
  HWY_DYNAMIC_DISPATCH(SetHiddenTarget)(features, context, tables, room);
}

void ScoreDeep(DeepTables& tables, const DeepRoom& room, float* scores) {
  HWY_DYNAMIC_DISPATCH(ScoreDeepTarget)(tables, room, scores);
}

void ScoreTurns(absl::Span<const HuffmanTree::Step> path, DeepTables& tables,
                const DeepRoom& room, float* scores) {
  HWY_DYNAMIC_DISPATCH(ScoreTurnsTarget)(path, tables, room, scores);
}

}  // namespace firth
#endif  // HWY_ONCE
