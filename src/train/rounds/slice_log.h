// SliceLog: the steps of one slice of the text, kept apart from the tables
// until all slices of a round are done (see train/rounds/rounds.h). LogApplier
// then adds them to the rows.

#ifndef FIRTH_TRAIN_ROUNDS_SLICE_LOG_H_
#define FIRTH_TRAIN_ROUNDS_SLICE_LOG_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/matrix.h"
#include "base/shared_matrix.h"
#include "model/embedding_model.h"

namespace firth {

// Steps of rows of one table: row += scale * vector.
class RowLog {
 public:
  // Rows are divided into this many partitions, each applied by one thread.
  static constexpr size_t kPartitions = 32;

  struct Entry {
    const float* vector;  // [stride], aligned as a row
    uint32_t row;
    float scale;
    float weight;  // 1 / n if the step is that of a mean of n rows.
  };

  explicit RowLog(size_t dim) : dim_(dim) {}

  void Clear() {
    size_ = 0;
    vectors_ = 0;
  }

  // Returns room for a vector, with arbitrary content, until Clear().
  float* NewVector() {
    const size_t block = vectors_ / kBlockRows;
    if (block == blocks_.size()) blocks_.emplace_back(kBlockRows, dim_);
    return blocks_[block].Row(vectors_++ % kBlockRows);
  }
  void Add(uint32_t row, const float* vector, float scale, float weight) {
    if (size_ == entries_.size()) entries_.resize(2 * size_ + 64);
    entries_[size_++] = {vector, row, scale, weight};
  }

  size_t size() const { return size_; }

  // Sorts by partition, after the last Add() and before the first Of().
  void Sort();
  // Returns the entries of a partition, in the order in which they were added.
  absl::Span<const Entry> Of(size_t partition) const {
    return absl::MakeConstSpan(sorted_).subspan(
        ends_[partition], ends_[partition + 1] - ends_[partition]);
  }

 private:
  static constexpr size_t kBlockRows = 256;

  size_t dim_;
  size_t vectors_ = 0;
  std::vector<PaddedMatrix> blocks_;
  size_t size_ = 0;  // Number of entries_ in use.
  std::vector<Entry> entries_;
  std::vector<Entry> sorted_;                     // By partition.
  std::array<uint32_t, kPartitions + 1> ends_{};  // [p]: where p begins.
};

// Extent of vectors x in a direction p: the sum of (p.x) x, of every eighth x.
struct Spread {
  explicit Spread(size_t dim) : sum(1, dim) {}

  const float* probe = nullptr;  // [stride], of unit length
  uint64_t count = 0;
  PaddedMatrix sum;  // [1, dim]
};

struct SliceLog {
  struct BiasStep {
    uint32_t word;
    float step;
  };

  explicit SliceLog(size_t dim)
      : input(dim), output(dim), positions(dim), inputs(dim), outputs(dim) {}
  void Clear();
  // Sorts the row logs. Must be called when the log is complete.
  void Sort();

  RowLog input;
  RowLog output;
  RowLog positions;              // Position weights of CBOW.
  std::vector<BiasStep> biases;  // For NCE.
  // Totals of the slice.
  uint64_t words = 0;
  uint64_t examples = 0;
  double loss = 0;  // Sum in nats.
  Spread inputs;    // Of input vectors.
  Spread outputs;   // Of the first output row of each block.
};

// Constants c that limit sums of steps. A round sums steps that were all
// computed from the same values. If n steps have the same direction, their sum
// goes n times as far as one of them. If each goes the fraction s of the way, s
// n must stay below 2; otherwise they overshoot and diverge. So a sum of n
// steps is divided by c (n - 1), if that is more than 1, with c = s / 1.5. For
// a logistic loss
//
//   s = rate * (pairs per step) * (mean slope of the sigmoid)
//       * (largest eigenvalue of E[x x^T]),
//
// where x are the vectors of the other side. The eigenvalue is the curvature
// along the direction that they share. In a large vocabulary, hardly any row
// has so many steps in a round.
struct Damping {
  float input = 0;
  float output = 0;
  float position = 0;
  float bias = 0;
};

class LogApplier {
 public:
  // Borrows the model.
  explicit LogApplier(EmbeddingModel& model);

  // Applies the steps of all logs, in order, to one partition of each table.
  // Partitions have no rows in common, so each may have its own thread.
  void Apply(absl::Span<const SliceLog> logs, const Damping& damping,
             size_t partition);

  // Data for the code that is compiled per instruction set.
  struct Table {
    SharedMatrix* rows;
    std::vector<float> visits;  // Of each row in this round; otherwise 0.
  };
  struct Tables {
    Table input;
    Table output;
    Table positions;
    SharedRow bias;
    std::vector<float> bias_visits;
    size_t dim;
  };

 private:
  Tables tables_;
};

}  // namespace firth

#endif  // FIRTH_TRAIN_ROUNDS_SLICE_LOG_H_
