// LoggedUpdates: writes steps to the log of a slice. The tables do not change
// until the round is over. See train/table_updates-inl.h for the methods.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/shared_matrix.h"
#include "base/worker_table.h"
#include "simd/targets.h"
#include "simd/window_block.h"
#include "train/rounds/slice_log.h"

#if defined(FIRTH_TRAIN_ROUNDS_LOGGED_UPDATES_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_TRAIN_ROUNDS_LOGGED_UPDATES_INL_H_
#undef FIRTH_TRAIN_ROUNDS_LOGGED_UPDATES_INL_H_
#else
#define FIRTH_TRAIN_ROUNDS_LOGGED_UPDATES_INL_H_
#endif

#include "hwy/highway.h"
#include "simd/row_ops-inl.h"
#include "simd/shared_row-inl.h"
#include "train/table_updates-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// An output row whose step is logged. The kernel makes one step per row of a
// block, so the previous content of `step` need not be read.
struct LoggedRow {
  SharedRow row;
  float* step;
};

HWY_INLINE FloatVec LoadLanes(LoggedRow row, size_t at) {
  return LoadLanes(row.row, at);
}
HWY_INLINE void AddToLanes(LoggedRow row, size_t at, FloatVec step) {
  hn::Store(step, FloatTag(), row.step + at);
}

// Adds every eighth row for which it is called.
HWY_INLINE void AddSpread(SharedRow row, size_t columns, Spread& spread) {
  if (spread.count++ % 8 != 0) return;
  AddRow(Dot(row, spread.probe, columns), row, columns, spread.sum.Row(0));
}

class LoggedUpdates {
 public:
  LoggedUpdates(size_t dim, size_t max_rows)
      : columns_(VisitedColumns(dim)), rows_(max_rows) {}

  // Sets the log for all further steps.
  void Start(SliceLog* log) { log_ = log; }

  HWY_INLINE const LoggedRow* RowsOf(const OutputBlock& block) {
    for (size_t j = 0; j < block.size; ++j) {
      float* const step = log_->output.NewVector();
      rows_[j] = {block.rows[j], step};
      log_->output.Add(block.ids[j], step, 1, 1);
    }
    if (block.size > 0) AddSpread(block.rows[0], columns_, log_->outputs);
    return rows_.data();
  }

  HWY_INLINE void AddBias(uint32_t row, float step) {
    log_->biases.push_back({row, step});
  }

  void AddWord(const WordStep& word) {
    float* const moved = log_->input.NewVector();
    Subtract(word.now, SharedRow(word.before), columns_, moved);
    const float weight = 1.0f / static_cast<float>(word.rows.size());
    for (size_t i = 0; i < word.rows.size(); ++i) {
      log_->input.Add(word.rows[i], moved,
                      i < word.own_rows ? word.own_share : word.n_gram_share,
                      weight);
    }
    AddSpread(SharedRow(word.before), columns_, log_->inputs);
  }

  // Sets the slice's own copies of the position weights to the current weights,
  // at the start of each run. AddPositions() logs what the run has changed.
  void CopyPositions(WorkerTable& weights) {
    for (size_t i = 0; i < weights.num_hot(); ++i) {
      CopyRow(weights.Shared(i), columns_, weights.Own(i));
    }
  }
  void AddPositions(WorkerTable& weights) {
    for (size_t i = 0; i < weights.num_hot(); ++i) {
      float* const moved = log_->positions.NewVector();
      Subtract(weights.Own(i), weights.Shared(i), columns_, moved);
      log_->positions.Add(static_cast<uint32_t>(i), moved, 1, 1);
    }
  }

 private:
  SliceLog* log_ = nullptr;
  size_t columns_;
  std::vector<LoggedRow> rows_;  // Rows of the current block.
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
