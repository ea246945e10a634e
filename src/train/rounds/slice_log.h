// SliceLog: what one slice of the text has taught, kept apart from the tables
// until all slices of a round are done (see train/rounds/rounds.h).

#ifndef FIRTH_TRAIN_ROUNDS_SLICE_LOG_H_
#define FIRTH_TRAIN_ROUNDS_SLICE_LOG_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/matrix.h"

namespace firth {

// Steps of rows of one table: row += scale * vector.
class RowLog {
 public:
  // Rows are dealt out to so many partitions, each of which one thread applies.
  static constexpr size_t kPartitions = 32;

  struct Entry {
    const float* vector;  // [stride], aligned as a row
    uint32_t row;
    float scale;
    float weight;  // of the row in what was stepped: one of n rows of a mean
                   // has 1 / n
  };

  explicit RowLog(size_t dim) : dim_(dim) {}

  void Clear() {
    size_ = 0;
    vectors_ = 0;
  }

  // Room for a vector, with any content, until Clear().
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

  // After the last Add(), before the first Of().
  void Sort();
  // In the order in which they were added.
  absl::Span<const Entry> Of(size_t partition) const {
    return absl::MakeConstSpan(sorted_).subspan(
        ends_[partition], ends_[partition + 1] - ends_[partition]);
  }

 private:
  static constexpr size_t kBlockRows = 256;

  size_t dim_;
  size_t vectors_ = 0;
  std::vector<PaddedMatrix> blocks_;
  size_t size_ = 0;  // of entries_, which has room for more
  std::vector<Entry> entries_;
  std::vector<Entry> sorted_;                     // by partition
  std::array<uint32_t, kPartitions + 1> ends_{};  // of those before
};

// How far vectors x go in a direction p: the sum of (p.x) x, of every eighth x.
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
  // When all is in it that the slice has taught.
  void Sort();

  RowLog input;
  RowLog output;
  RowLog positions;              // of CBOW's context weights
  std::vector<BiasStep> biases;  // of NCE
  // Of the slice:
  uint64_t words = 0;
  uint64_t examples = 0;
  double loss = 0;  // sum, nats
  Spread inputs;    // of input vectors
  Spread outputs;   // of the first output row of each block
};

}  // namespace firth

#endif  // FIRTH_TRAIN_ROUNDS_SLICE_LOG_H_
