// LoggedRows: the output rows of a block while its steps go into a log and not
// to the table.

#include <vector>

#include "model/slice_log.h"
#include "simd/targets.h"
#include "simd/window_block.h"

#if defined(FIRTH_TRAIN_LOGGED_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_TRAIN_LOGGED_ROWS_INL_H_
#undef FIRTH_TRAIN_LOGGED_ROWS_INL_H_
#else
#define FIRTH_TRAIN_LOGGED_ROWS_INL_H_
#endif

#include "hwy/highway.h"
#include "simd/row_ops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// Of every eighth row that it is called for.
HWY_INLINE void AddSpread(SharedRow row, size_t columns, Spread& spread) {
  if (spread.count++ % 8 != 0) return;
  AddRow(Dot(row, spread.probe, columns), row, columns, spread.sum.Row(0));
}

class LoggedRows {
 public:
  // The next step of the block goes into the log, if there is one.
  HWY_INLINE void Enter(OutputBlock& block, size_t columns, SliceLog* log) {
    if (log == nullptr) return;
    targets_.resize(block.max_rows());
    for (size_t j = 0; j < block.size; ++j) {
      float* const step = log->output.NewVector();
      targets_[j] = SharedRow(step);
      log->output.Add(block.ids[j], step, 1, 1);
    }
    if (block.size > 0) AddSpread(block.rows[0], columns, log->outputs);
    block.targets = targets_.data();
  }

 private:
  std::vector<SharedRow> targets_;
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
