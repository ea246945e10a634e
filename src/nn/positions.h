// Where a token stands, for layers that see a set of tokens and no order:
// vectors that are added to the tokens', by a formula or learnt, or a number
// added to the score of each pair of tokens, by the way from one to the other.

#ifndef FIRTH_NN_POSITIONS_H_
#define FIRTH_NN_POSITIONS_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "firth/network_kinds.h"
#include "nn/matrix.h"
#include "nn/parameter.h"

namespace firth::nn {

// Row p of [positions, dim] is that of position p (Vaswani et al. 2017, section
// 3.5):
//
//   sin(p / 10000^(2i / dim)) in column 2i, cos of the same in column 2i + 1
template <class T>
void FillSinusoids(View<T> rows);

// The bucket of the way `offset` from a token to one that it sees (Raffel et
// al., "Exploring the limits of transfer learning with a unified text-to-text
// transformer", 2020, section 2.1, and the program published with it): ways
// shorter than half of the buckets have one each, longer ones share them by
// their logarithm, and all from `kFarthestWay` on are in the last. If not
// causal, either direction has half of them.
constexpr size_t kWayBuckets = 32;
constexpr size_t kFarthestWay = 128;
size_t WayBucket(ptrdiff_t offset, bool causal);

// A number for each head and bucket: "<name>", [kWayBuckets, heads], which
// starts with 0.
template <class T>
class RelativeBias {
 public:
  // reach: the greatest |offset|.
  RelativeBias(size_t heads, size_t reach, bool causal, absl::string_view name);

  void AppendParameters(ParameterList<T>* list) { list->push_back(&table_); }

  // Where the offsets of neighbours rise, or fall: the number of offset 0 of a
  // head, from which that of another offset stands `offset`, or -offset, away.
  // Valid after Spread(), which makes them of the table.
  void Spread();
  const T* Rising(size_t head) const { return rising_.Row(head) + reach_; }
  const T* Falling(size_t head) const { return falling_.Row(head) + reach_; }
  // Their gradients, to be added to until Gather() adds them to the table's.
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
