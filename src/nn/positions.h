// Positions of tokens, for layers that do not depend on their order: vectors,
// trained or given by a formula, that are added to those of the tokens, or
// numbers that are added to the score of each pair of tokens, by their offset.

#ifndef FIRTH_NN_POSITIONS_H_
#define FIRTH_NN_POSITIONS_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "nn/matrix.h"
#include "nn/parameter.h"

namespace firth::nn {

// Sets row p of [positions, dim] to the vector of position p (Vaswani et al.
// 2017, section 3.5):
//
//   sin(p / 10000^(2i / dim)) in column 2i, cos of the same in column 2i + 1
template <class T>
void FillSinusoids(View<T> rows);

// Returns the bucket for the offset from a token to one that it sees (Raffel et
// al., "Exploring the limits of transfer learning with a unified text-to-text
// transformer", 2020, section 2.1, and the program published with it). Offsets
// below half the number of buckets have one each. Larger ones share buckets by
// their logarithm, and all from `kFarthestWay` on share the last. If not
// causal, each direction has half of the buckets.
constexpr size_t kWayBuckets = 32;
constexpr size_t kFarthestWay = 128;
size_t WayBucket(ptrdiff_t offset, bool causal);

// A number for each head and bucket: "<name>", [kWayBuckets, heads], which
// starts with 0.
template <class T>
class RelativeBias {
 public:
  // `reach` is the maximum |offset|.
  RelativeBias(size_t heads, size_t reach, bool causal, absl::string_view name);

  void AppendParameters(ParameterList<T>* list) { list->push_back(&table_); }

  // Spread() copies the table to arrays by offset. Rising() and Falling() then
  // point to a head's number for offset 0; that of another offset is at
  // [offset] in Rising() and at [-offset] in Falling().
  void Spread();
  const T* Rising(size_t head) const { return rising_.Row(head) + reach_; }
  const T* Falling(size_t head) const { return falling_.Row(head) + reach_; }
  // Gradients of these arrays, to be added to. Gather() adds them to the table.
  T* RisingGradient(size_t head) { return d_rising_.Row(head) + reach_; }
  T* FallingGradient(size_t head) { return d_falling_.Row(head) + reach_; }
  void Gather();

 private:
  size_t BucketAt(size_t place) const {
    return WayBucket(
        static_cast<ptrdiff_t>(place) - static_cast<ptrdiff_t>(reach_),
        causal_);
  }

  size_t reach_;
  bool causal_;
  Parameter<T> table_;
  Matrix<T> rising_;  // [heads, 2 reach + 1]
  Matrix<T> falling_;
  Matrix<T> d_rising_;
  Matrix<T> d_falling_;
};

}  // namespace firth::nn

#endif  // FIRTH_NN_POSITIONS_H_
