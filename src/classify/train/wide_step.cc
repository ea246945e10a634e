// A feature's weights and the scales of their steps are in one row. A text
// reads each of its rows once for scores and squares, and once more only if a
// dual variable changes, which is rare towards the end. A single column, for
// two labels, has its own loop, because vectors would be mostly padding.

#include "classify/train/wide_step.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "classify/train/wide_step.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "simd/shared_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

using LabelTag = hn::CappedTag<float, WideTable::kLanes>;
using LabelVec = hn::Vec<LabelTag>;

// Each feature's row is prefetched this many features before its use.
constexpr size_t kAhead = 12;

template <class Visit>
HWY_INLINE void VisitRows(absl::Span<const WideFeature> features,
                          WideTable& table, const Visit& visit) {
  const size_t count = features.size();
  for (size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) {
      PrefetchElement(table.Row(features[i + kAhead].row), 0);
    }
    visit(table.Row(features[i].row), features[i].value);
  }
}

// Computes scores, and sums of squares, of kVectors vectors of columns,
// starting at `at`.
template <size_t kVectors, bool kSquares>
HWY_INLINE void SumColumns(absl::Span<const WideFeature> features,
                           WideTable& table, size_t at, float* scores,
                           float* squares) {
  const LabelTag d;
  const size_t lanes = hn::Lanes(d);
  const size_t width = table.width();
  LabelVec sums[kVectors];
  LabelVec square_sums[kVectors];
  for (size_t v = 0; v < kVectors; ++v) {
    sums[v] = square_sums[v] = hn::Zero(d);
  }
  VisitRows(features, table, [&](SharedRow row, float value) HWY_ATTR {
    const LabelVec x = hn::Set(d, value);
    const LabelVec x2 = hn::Set(d, value * value);
    for (size_t v = 0; v < kVectors; ++v) {
      const size_t column = at + v * lanes;
      sums[v] = hn::MulAdd(x, LoadLanes(d, row, column), sums[v]);
      if constexpr (kSquares) {
        square_sums[v] =
            hn::MulAdd(x2, LoadLanes(d, row, width + column), square_sums[v]);
      }
    }
  });
  for (size_t v = 0; v < kVectors; ++v) {
    hn::Store(sums[v], d, scores + at + v * lanes);
    if constexpr (kSquares) {
      hn::Store(square_sums[v], d, squares + at + v * lanes);
    }
  }
}

template <bool kSquares>
HWY_INLINE void SumAllColumns(absl::Span<const WideFeature> features,
                              WideTable& table, float* scores, float* squares) {
  const size_t lanes = hn::Lanes(LabelTag());
  size_t at = 0;
  for (; at + 4 * lanes <= table.width(); at += 4 * lanes) {
    SumColumns<4, kSquares>(features, table, at, scores, squares);
  }
  for (; at + 2 * lanes <= table.width(); at += 2 * lanes) {
    SumColumns<2, kSquares>(features, table, at, scores, squares);
  }
  for (; at < table.width(); at += lanes) {
    SumColumns<1, kSquares>(features, table, at, scores, squares);
  }
}

// Sets `steps` to (a' - a) y, and a to a'. Returns whether any step is not 0.
HWY_INLINE bool SetSteps(const WideText& text, size_t width,
                         const float* scores, const float* squares,
                         float* steps) {
  const LabelTag d;
  const LabelVec zero = hn::Zero(d);
  const LabelVec regular = hn::Set(d, text.half_inverse_cost);
  bool moves = false;
  for (size_t at = 0; at < width; at += hn::Lanes(d)) {
    const LabelVec y = hn::Load(d, text.signs + at);
    const LabelVec a = hn::LoadU(d, text.duals + at);
    const LabelVec gradient = hn::MulAdd(
        regular, a, hn::MulSub(y, hn::Load(d, scores + at), hn::Set(d, 1.0f)));
    const LabelVec q = hn::Add(hn::Load(d, squares + at), regular);
    const LabelVec next = hn::Max(hn::Sub(a, hn::Div(gradient, q)), zero);
    const LabelVec step = hn::Mul(hn::Sub(next, a), y);
    moves = moves || !hn::AllTrue(d, hn::Eq(step, zero));
    hn::StoreU(next, d, text.duals + at);
    hn::Store(step, d, steps + at);
  }
  return moves;
}

HWY_INLINE void StepColumn(const WideText& text, WideTable& table,
                           float* scores) {
  float score = 0;
  float square = text.half_inverse_cost;
  VisitRows(text.features, table, [&](SharedRow row, float x) HWY_ATTR {
    score += x * LoadElement(row, 0);
    square += x * x * LoadElement(row, 1);
  });
  *scores = score;
  const float y = *text.signs;
  const float gradient = y * score - 1 + text.half_inverse_cost * *text.duals;
  const float next = std::max(*text.duals - gradient / square, 0.0f);
  const float step = (next - *text.duals) * y;
  *text.duals = next;
  if (step == 0) return;
  VisitRows(text.features, table, [&](SharedRow row, float x) HWY_ATTR {
    AddToElement(row, 0, step * x * LoadElement(row, 1));
  });
}

void StepWideTarget(const WideText& text, WideTable& table, float* scores,
                    float* room) {
  if (table.width() == 1) return StepColumn(text, table, scores);
  const LabelTag d;
  const size_t width = table.width();
  float* const steps = room + width;
  SumAllColumns<true>(text.features, table, scores, room);
  if (!SetSteps(text, width, scores, room, steps)) return;
  VisitRows(text.features, table, [&](SharedRow row, float value) HWY_ATTR {
    const LabelVec x = hn::Set(d, value);
    for (size_t at = 0; at < width; at += hn::Lanes(d)) {
      const LabelVec step = hn::Mul(x, hn::Load(d, steps + at));
      AddToLanes(d, row, at, hn::Mul(step, LoadLanes(d, row, width + at)));
    }
  });
}

void ScoreWideTarget(absl::Span<const WideFeature> features, WideTable& table,
                     float* scores) {
  if (table.width() > 1) {
    return SumAllColumns<false>(features, table, scores, nullptr);
  }
  float score = 0;
  VisitRows(features, table, [&](SharedRow row, float x) HWY_ATTR {
    score += x * LoadElement(row, 0);
  });
  *scores = score;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {

HWY_EXPORT(StepWideTarget);
HWY_EXPORT(ScoreWideTarget);

void SetScales(const FeatureBags& bags, const TextLabels& labels,
               absl::Span<const uint32_t> texts,
               absl::Span<const uint32_t> text_counts, int threads,
               WideTable* table) {
  const size_t rows = text_counts.size();
  const size_t columns = table->columns();
  for (size_t row = 0; row <= rows; ++row) {
    std::fill_n(table->Weights(row), table->stride(), 0.0f);
  }
  // The weights store counts until they are used.
  for (const uint32_t text : texts) {
    for (const uint32_t label : labels.Of(text)) {
      if (label >= columns) continue;
      for (const FeatureCount feature : bags.Of(text)) {
        table->Weights(feature.row)[label] += 1;
      }
    }
  }
  std::vector<double> own(columns);
  double all = 0;
  double features = 0;
  for (size_t row = 0; row < rows; ++row) {
    all += text_counts[row];
    if (text_counts[row] > 0) ++features;
    for (size_t c = 0; c < columns; ++c) {
      own[c] += static_cast<double>(table->Weights(row)[c]);
    }
  }
  std::vector<float> norms(columns);  // ln(|q| / |p|)
  for (size_t c = 0; c < columns; ++c) {
    norms[c] = static_cast<float>(
        std::log((features + all - own[c]) / (features + own[c])));
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (size_t row = 0; row < rows; ++row) {
    float* const weights = table->Weights(row);
    float* const scales = table->Scales(row);
    const auto total = static_cast<float>(text_counts[row]);
    for (size_t c = 0; c < columns && total > 0; ++c) {
      const float ratio =
          std::log((1 + weights[c]) / (1 + total - weights[c])) + norms[c];
      scales[c] = ratio * ratio;
      weights[c] = 0;
    }
  }
  std::fill_n(table->Scales(rows), columns, 1.0f);
}

void StepWide(const WideText& text, WideTable& table, float* scores) {
  thread_local PaddedMatrix room;
  if (room.size() < 2 * table.width()) {
    room = PaddedMatrix(1, 2 * table.width());
  }
  HWY_DYNAMIC_DISPATCH(StepWideTarget)(text, table, scores, room.data());
}

void ScoreWide(absl::Span<const WideFeature> features, WideTable& table,
               float* scores) {
  HWY_DYNAMIC_DISPATCH(ScoreWideTarget)(features, table, scores);
}

}  // namespace firth
#endif  // HWY_ONCE
