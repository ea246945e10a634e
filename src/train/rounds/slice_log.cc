// This file is compiled once per instruction set.

#include "train/rounds/slice_log.h"

#include <algorithm>

#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/rounds/slice_log.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "simd/row_ops-inl.h"
#include "simd/shared_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// Rows are prefetched this many steps ahead.
constexpr size_t kStepsAhead = 4;

HWY_INLINE float Damped(float scale, float damping, float visits) {
  return scale / std::max(1.0f, damping * (visits - 1));
}

void ApplyTable(absl::Span<const SliceLog> logs, RowLog SliceLog::*log,
                float damping, size_t partition, size_t columns,
                LogApplier::Table& table) {
  float* const visits = table.visits.data();
  size_t size = 0;
  for (const SliceLog& slice : logs) size += (slice.*log).Of(partition).size();
  // Otherwise no row can have so many steps.
  const bool may_overshoot = damping * static_cast<float>(size) > 1;
  for (const SliceLog& slice : logs) {
    if (!may_overshoot) break;
    for (const RowLog::Entry& entry : (slice.*log).Of(partition)) {
      visits[entry.row] += entry.weight;
    }
  }
  for (const SliceLog& slice : logs) {
    const absl::Span<const RowLog::Entry> entries = (slice.*log).Of(partition);
    for (size_t i = 0; i < entries.size(); ++i) {
      if (i + kStepsAhead < entries.size()) {
        const SharedRow ahead = table.rows->Row(entries[i + kStepsAhead].row);
        for (size_t at = 0; at < columns; at += kRowFloats) {
          PrefetchElement(ahead, at);
        }
      }
      const float scale = may_overshoot ? Damped(entries[i].scale, damping,
                                                 visits[entries[i].row])
                                        : entries[i].scale;
      AddScaled(scale, entries[i].vector, columns,
                table.rows->Row(entries[i].row));
    }
  }
  for (const SliceLog& slice : logs) {
    if (!may_overshoot) break;
    for (const RowLog::Entry& entry : (slice.*log).Of(partition)) {
      visits[entry.row] = 0;
    }
  }
}

// Returns whether a bias is in the partition. No cache line is split.
HWY_INLINE bool IsBiasIn(size_t partition, uint32_t word) {
  return word / kRowFloats % RowLog::kPartitions == partition;
}

void ApplyBiases(absl::Span<const SliceLog> logs, float damping,
                 size_t partition, LogApplier::Tables& tables) {
  const auto for_each = [&](const auto& body) HWY_ATTR {
    for (const SliceLog& slice : logs) {
      for (const SliceLog::BiasStep& step : slice.biases) {
        if (IsBiasIn(partition, step.word)) body(step);
      }
    }
  };
  float* const visits = tables.bias_visits.data();
  for_each([&](const SliceLog::BiasStep& step) { ++visits[step.word]; });
  for_each([&](const SliceLog::BiasStep& step) HWY_ATTR {
    AddToElement(tables.bias, step.word,
                 Damped(step.step, damping, visits[step.word]));
  });
  for_each([&](const SliceLog::BiasStep& step) { visits[step.word] = 0; });
}

void ApplyLogsTarget(absl::Span<const SliceLog> logs, const Damping& damping,
                     size_t partition, LogApplier::Tables& tables) {
  const size_t columns = VisitedColumns(tables.dim);
  ApplyTable(logs, &SliceLog::input, damping.input, partition, columns,
             tables.input);
  ApplyTable(logs, &SliceLog::output, damping.output, partition, columns,
             tables.output);
  ApplyTable(logs, &SliceLog::positions, damping.position, partition, columns,
             tables.positions);
  if (!tables.bias_visits.empty()) {
    ApplyBiases(logs, damping.bias, partition, tables);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {

HWY_EXPORT(ApplyLogsTarget);

void RowLog::Sort() {
  ends_.fill(0);
  const auto entries = absl::MakeConstSpan(entries_).first(size_);
  for (const Entry& entry : entries) ++ends_[entry.row % kPartitions + 1];
  for (size_t p = 0; p < kPartitions; ++p) ends_[p + 1] += ends_[p];
  std::array<uint32_t, kPartitions> next;
  std::copy_n(ends_.begin(), kPartitions, next.begin());
  sorted_.resize(size_);
  for (const Entry& entry : entries) {
    sorted_[next[entry.row % kPartitions]++] = entry;
  }
}

void SliceLog::Clear() {
  input.Clear();
  output.Clear();
  positions.Clear();
  Sort();
  biases.clear();
  words = examples = 0;
  loss = 0;
  for (Spread* spread : {&inputs, &outputs}) {
    spread->count = 0;
    std::fill_n(spread->sum.Row(0), spread->sum.stride(), 0.0f);
  }
}

void SliceLog::Sort() {
  for (RowLog* log : {&input, &output, &positions}) log->Sort();
}

LogApplier::LogApplier(EmbeddingModel& model) {
  const auto table = [](SharedMatrix& rows) {
    return Table{&rows, std::vector<float>(rows.rows())};
  };
  tables_.input = table(model.input());
  tables_.output = table(model.output());
  tables_.positions = table(model.position_weights());
  tables_.dim = model.dim();
  if (model.has_output_bias()) {
    tables_.bias = model.output_bias().Row(0);
    tables_.bias_visits.resize(model.output_bias().cols());
  }
}

void LogApplier::Apply(absl::Span<const SliceLog> logs, const Damping& damping,
                       size_t partition) {
  HWY_DYNAMIC_DISPATCH(ApplyLogsTarget)(logs, damping, partition, tables_);
}

}  // namespace firth
#endif  // HWY_ONCE
