// The data of a window step: the rows to score against, and scratch memory.

#ifndef FIRTH_SIMD_WINDOW_BLOCK_H_
#define FIRTH_SIMD_WINDOW_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/matrix.h"
#include "base/shared_matrix.h"

namespace firth {

// Maximum number of windows that share the noise words of a block.
constexpr size_t kMostSharing = 6;

// Maximum input rows of one block. A window with more is divided into several.
constexpr size_t kMaxInputRows = 16;

// Kernels read and write vectors of 8 columns, up to 7 beyond the last.
constexpr size_t kColumnOverrun = 7;

// n output rows with their targets: label 1 or 0, and an offset that is
// subtracted from the score. Labels and offsets are readable beyond the last
// (kColumnOverrun).
struct OutputRows {
  const SharedRow* rows;
  const float* labels;
  const float* offsets;
  size_t size;
};

// Output rows in memory of their own.
struct OutputBlock {
  explicit OutputBlock(size_t max_rows)
      : rows(max_rows),
        ids(max_rows),
        parameters(2, max_rows + kColumnOverrun) {}

  void Clear() { size = 0; }
  void Push(SharedRow row, uint32_t id, float label, float offset) {
    rows[size] = row;
    ids[size] = id;
    parameters.Row(0)[size] = label;
    parameters.Row(1)[size] = offset;
    ++size;
  }
  const float* labels() const { return parameters.Row(0); }
  float* offsets() { return parameters.Row(1); }
  const float* offsets() const { return parameters.Row(1); }
  size_t max_rows() const { return rows.size(); }

  // Returns the rows from number `first` on.
  OutputRows From(size_t first) const {
    return {rows.data() + first, labels() + first, offsets() + first,
            size - first};
  }

  size_t size = 0;
  std::vector<SharedRow> rows;
  std::vector<uint32_t> ids;  // Row numbers in the output table.
  PaddedMatrix parameters;    // [2, max_rows and more]: labels, offsets.
};

// The steps of a block, computed from its scores: [kMaxInputRows, n], row i at
// Row(i).
class StepBlock {
 public:
  explicit StepBlock(size_t max_rows)
      : steps_(kMaxInputRows, max_rows + kColumnOverrun) {}
  float* Row(size_t input) { return steps_.Row(input); }
  const float* Row(size_t input) const { return steps_.Row(input); }
  size_t stride() const { return steps_.stride(); }

 private:
  PaddedMatrix steps_;
};

}  // namespace firth

#endif  // FIRTH_SIMD_WINDOW_BLOCK_H_
