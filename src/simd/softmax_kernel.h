// Full softmax for a batch of hidden vectors: the data of a step, which are
// hidden vectors, the words to predict from them, and scratch memory; and the
// step.

#ifndef FIRTH_SIMD_SOFTMAX_KERNEL_H_
#define FIRTH_SIMD_SOFTMAX_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/matrix.h"
#include "base/shared_matrix.h"

namespace firth {

// Number of words whose rows are processed together. The rows and their scores
// stay in the second-level cache from one product to the next.
constexpr size_t kSoftmaxChunk = 192;

// Each worker has one. Scratch rows have one example per column.
class SoftmaxBatch {
 public:
  SoftmaxBatch(size_t max_examples, size_t vocab_size, size_t dim)
      : hidden(max_examples, dim),
        hidden_steps(max_examples, dim),
        hidden_columns(dim, ScratchColumns(max_examples)),
        scaled_hidden(max_examples, dim),
        scores(vocab_size, ScratchColumns(max_examples)),
        greatest(Chunks(vocab_size), ScratchColumns(max_examples)),
        sums(3, ScratchColumns(max_examples)) {}

  // Returns the bytes of its matrices.
  static uint64_t Bytes(size_t max_examples, size_t vocab_size, size_t dim) {
    const uint64_t scratch_rows = dim + vocab_size + Chunks(vocab_size) + 3;
    const uint64_t example_rows = 3 * uint64_t{max_examples};
    return (scratch_rows * ScratchColumns(max_examples) +
            example_rows * PaddedStride<float>(dim)) *
           sizeof(float);
  }

  size_t size() const { return target_begins_.size() - 1; }
  bool full() const { return size() == hidden.rows(); }
  bool empty() const { return size() == 0; }
  size_t num_targets() const { return targets_.size(); }
  absl::Span<const uint32_t> TargetsOf(size_t example) const {
    const size_t begin = target_begins_[example];
    return absl::MakeConstSpan(targets_).subspan(
        begin, target_begins_[example + 1] - begin);
  }

  // Adds an example: the hidden vector must be stored in hidden.Row(size()).
  // Then its targets are pushed, as row numbers in the output table, and then
  // it is ended.
  void PushTarget(uint32_t row) { targets_.push_back(row); }
  void EndExample() { target_begins_.push_back(targets_.size()); }
  void Clear() {
    targets_.clear();
    target_begins_.assign(1, 0);
  }

  PaddedMatrix hidden;        // [B, dim]
  PaddedMatrix hidden_steps;  // [B, dim], set by the step.

  PaddedMatrix hidden_columns;  // [dim, B]: `hidden`, transposed.
  PaddedMatrix scaled_hidden;   // [B, dim]
  PaddedMatrix scores;          // [vocab_size, B]
  PaddedMatrix greatest;        // [chunks, B]: the maximum score of each.
  PaddedMatrix sums;            // [3, B]: see softmax_kernel.cc.

 private:
  static size_t Chunks(size_t vocab_size) {
    return (vocab_size + kSoftmaxChunk - 1) / kSoftmaxChunk;
  }

  // Returns an odd number of cache lines per row. Otherwise the elements of a
  // column, which are read one after another, would share a few sets of the
  // first-level cache.
  static size_t ScratchColumns(size_t examples) {
    const size_t columns = PaddedStride<float>(examples);
    return columns / kRowFloats % 2 == 0 ? columns + kRowFloats : columns;
  }

  std::vector<uint32_t> targets_;
  // [examples + 1], positions in targets_.
  std::vector<size_t> target_begins_ = {0};
};

// Moves the rows of `output` [vocab_size, dim] one step down the gradient of
// the batch's losses, and sets batch.hidden_steps to the steps of the hidden
// vectors, all computed from the old values. Returns the sum of the losses
// before the step in nats, which is not finite if a score is not. See
// softmax_kernel.cc.
double StepSoftmax(float learning_rate, SoftmaxBatch& batch,
                   SharedMatrix& output);

// Returns ln sum_i exp(scores[i]), the logarithm of the normalizer of a
// softmax. The maximum score is subtracted first, so that no exponential
// overflows. `count` must be above 0; no alignment is required. Returns NaN if
// a score is NaN.
float LogSumExp(const float* scores, size_t count);

}  // namespace firth

#endif  // FIRTH_SIMD_SOFTMAX_KERNEL_H_
