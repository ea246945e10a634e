// The rows of a chunk whose output is required, such as those of hidden words,
// packed into a smaller time-major chunk: row k * batch + b is the k-th of
// these rows in sequence b. Sequences with fewer of them are padded with zeros.

#ifndef FIRTH_NN_ASKED_ROWS_H_
#define FIRTH_NN_ASKED_ROWS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "absl/types/span.h"
#include "nn/matrix.h"
#include "nn/sequence_layers.h"

namespace firth::nn {

class AskedRows {
 public:
  // `rows` belong to a chunk of `batch` sequences and ascend in each sequence.
  void Set(absl::Span<const uint32_t> rows, size_t batch) {
    lengths_.assign(batch, 0);
    for (const uint32_t row : rows) ++lengths_[row % batch];
    steps_ = *std::max_element(lengths_.begin(), lengths_.end());
    rows_.assign(steps_ * batch, kNone);
    std::fill(lengths_.begin(), lengths_.end(), 0);
    for (const uint32_t row : rows) {
      const size_t b = row % batch;
      rows_[lengths_[b]++ * batch + b] = row;
    }
  }

  ChunkShape shape() const { return {steps_, lengths_.size(), lengths_}; }
  // Returns the step of the k-th row of sequence b.
  size_t StepOf(size_t b, size_t k) const {
    return rows_[k * lengths_.size() + b] / lengths_.size();
  }

  template <class T>
  void Gather(ConstView<T> all, Matrix<T>* asked) const {
    asked->Resize(rows_.size(), all.cols());
    ForRows(rows_.size(), all.cols(), [&](size_t begin, size_t end) {
      for (size_t r = begin; r < end; ++r) {
        if (rows_[r] == kNone) {
          std::fill_n(asked->Row(r), all.cols(), T{0});
        } else {
          std::copy_n(all.Row(rows_[r]), all.cols(), asked->Row(r));
        }
      }
    });
  }
  template <class T>
  void AddTo(View<T> all, std::type_identity_t<ConstView<T>> asked) const {
    ForRows(rows_.size(), all.cols(), [&](size_t begin, size_t end) {
      for (size_t r = begin; r < end; ++r) {
        if (rows_[r] == kNone) continue;
        AddScaled(all.cols(), T{1}, asked.Row(r), all.Row(rows_[r]));
      }
    });
  }

 private:
  static constexpr uint32_t kNone = 0xffffffff;

  size_t steps_ = 0;
  std::vector<size_t> lengths_;  // of each sequence
  std::vector<uint32_t> rows_;   // [steps * batch] row of the chunk, or kNone
};

}  // namespace firth::nn

#endif  // FIRTH_NN_ASKED_ROWS_H_
