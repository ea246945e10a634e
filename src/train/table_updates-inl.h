// TableUpdates: applies steps to the tables immediately (Hogwild).
//
// A window makes steps of three kinds: of output rows, by the kernel; of
// biases; and of input vectors that are composed of several rows. Other ways to
// train supply a class with the same three methods (LoggedUpdates of
// rounds/rounds_engine.cc).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/shared_matrix.h"
#include "model/embedding_model.h"
#include "simd/targets.h"
#include "simd/window_block.h"

#if defined(FIRTH_TRAIN_TABLE_UPDATES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_TRAIN_TABLE_UPDATES_INL_H_
#undef FIRTH_TRAIN_TABLE_UPDATES_INL_H_
#else
#define FIRTH_TRAIN_TABLE_UPDATES_INL_H_
#endif

#include "hwy/highway.h"
#include "simd/row_ops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// The step of a word's input vector, which is the mean of rows of the table.
struct WordStep {
  // The word's own row, then those of its n-grams.
  absl::Span<const uint32_t> rows;
  size_t own_rows;
  float own_share;  // Factors of the step, by kind of row.
  float n_gram_share;
  const float* now;  // [padded dim]: the current vector.
  float* before;     // The vector before any step; may be overwritten.
};

class TableUpdates {
 public:
  explicit TableUpdates(EmbeddingModel& model)
      : input_(model.input()),
        bias_(model.has_output_bias() ? model.output_bias().Row(0)
                                      : SharedRow()),
        columns_(VisitedColumns(model.dim())) {}

  // Returns the rows that the next step of the block updates.
  HWY_INLINE const SharedRow* RowsOf(const OutputBlock& block) {
    return block.rows.data();
  }

  HWY_INLINE void AddBias(uint32_t row, float step) {
    AddToElement(bias_, row, step);
  }

  void AddWord(const WordStep& word) {
    Subtract(word.now, SharedRow(word.before), columns_, word.before);
    rows_.clear();
    for (const uint32_t row : word.rows) rows_.push_back(input_.Row(row));
    const auto rows = absl::MakeConstSpan(rows_);
    AddScaledToAll(word.own_share, word.before, columns_,
                   rows.first(word.own_rows));
    AddScaledToAll(word.n_gram_share, word.before, columns_,
                   rows.subspan(word.own_rows));
  }

 private:
  SharedMatrix& input_;
  SharedRow bias_;
  size_t columns_;
  std::vector<SharedRow> rows_;  // Rows of one word.
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
