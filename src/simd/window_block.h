// What a window step works on: the rows to score against, and scratch memory.

#ifndef FIRTH_SIMD_WINDOW_BLOCK_H_
#define FIRTH_SIMD_WINDOW_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned_matrix.h"
#include "base/shared_matrix.h"

namespace firth {

// The most input rows of one block; a window with more is cut into several.
constexpr size_t kMaxInputRows = 16;

// n output rows with what each is to learn: label 1 or 0, and an offset that is
// subtracted from its score.
struct OutputBlock {
  explicit OutputBlock(size_t max_rows)
      : rows(max_rows), ids(max_rows), parameters(2, max_rows) {}

  void Clear() { size = 0; }
  void Push(SharedRow row, uint32_t id, float label, float offset) {
    rows[size] = row;
    ids[size] = id;
    parameters.Row(0)[size] = label;
    parameters.Row(1)[size] = offset;
    ++size;
  }
  const float* labels() const { return parameters.Row(0); }
  const float* offsets() const { return parameters.Row(1); }
  size_t max_rows() const { return rows.size(); }

  size_t size = 0;
  std::vector<SharedRow> rows;
  std::vector<uint32_t> ids;  // row numbers in the output table
  AlignedMatrix parameters;   // [2, max_rows]: labels, offsets
};

// The scores of a block and then the steps made from them:
// [kMaxInputRows, n], row i at Row(i).
class ScoreBlock {
 public:
  explicit ScoreBlock(size_t max_rows) : scores_(kMaxInputRows, max_rows) {}
  float* Row(size_t input) { return scores_.Row(input); }
  const float* Row(size_t input) const { return scores_.Row(input); }
  size_t stride() const { return scores_.stride(); }

 private:
  AlignedMatrix scores_;
};

}  // namespace firth

#endif  // FIRTH_SIMD_WINDOW_BLOCK_H_
