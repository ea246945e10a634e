// What training has moved in the rows of a table since the last exchange, and
// what becomes of the moves of all ranks.
//
// Moves d_r of one row by R ranks, which started from the same values, are
// worth their sum where they go different ways, and no more than one of them
// where they go the same way to its end: each was to get there on its own. For
// two moves Adasum (Maleki et al., "Scaling Distributed Training with Adaptive
// Summation", 2021) takes from each half of its projection on the other. This
// is its closed form for any number of them:
//
//   step  = share * sum_r d_r
//   share = sum_r |d_r|^2 / |sum_r d_r|^2, at most 1
//
// which is the sum where all are orthogonal or one rank alone moved, and the
// mean where all are equal. But ranks that go the same way have often not come
// to its end since the last exchange. If each has gone 1 - e^-s of it, one
// process with the text of all would have gone 1 - e^-Rs, so that the share is
// at least
//
//   (1 - e^-Rs) / (R (1 - e^-s)),   s = 2 (sum_r |d_r|^2 / R)^1/2 / |row|
//
// by a measure of s that serves well: how long moves are beside the row that
// they move. Biases and the weights of positions saturate: every window moves
// them, so that each rank soon gets there, and their share is the first.

#ifndef FIRTH_TRAIN_REPLICAS_ROW_DELTAS_H_
#define FIRTH_TRAIN_REPLICAS_ROW_DELTAS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/matrix.h"
#include "base/shared_matrix.h"
#include "firth/train.h"

namespace firth {

// A table that other threads train on, and what all replicas of it had at their
// last exchange. Not thread-safe itself.
class ReplicaTable {
 public:
  // Borrows the table, which is the same on all ranks and at rest.
  // saturates: see above.
  explicit ReplicaTable(SharedMatrix& table, bool saturates = false);

  size_t rows() const { return table_.rows(); }
  size_t cols() const { return table_.cols(); }
  bool saturates() const { return saturates_; }
  // Returns the values that the row had on all ranks after their last exchange,
  // [cols], with padding.
  const float* Base(size_t row) const { return base_.Row(row); }

  // Makes *moves how the rows have moved, [rows, cols], by `send` as bfloat16:
  // what rounding takes away stays a move of this rank. Returns whether all of
  // it is finite.
  bool Collect(absl::Span<const size_t> rows, SentNumbers send,
               std::vector<float>* moves) const;
  // Of the same rows: each moves by its step, [rows, cols], in place of what
  // this rank moved it by; what it has moved since Collect() stays.
  void Apply(absl::Span<const size_t> rows, absl::Span<const float> moves,
             absl::Span<const float> steps);

  // While nobody trains. Makes the table what all ranks had at their last
  // exchange, to the last bit: since then, rounding has parted them.
  void Settle();
  // The same the other way: what the table has now all ranks have.
  void Restart();

 private:
  SharedMatrix& table_;
  const bool saturates_;
  PaddedMatrix base_;  // [rows, cols], the same on all ranks
};

// Returns the share above. squares: sum_r |d_r|^2; squares_of_sum: |sum_r
// d_r|^2; squares_of_row: |row|^2 before the moves.
float ShareOfSum(bool saturates, size_t ranks, float squares,
                 float squares_of_sum, float squares_of_row);

// Rounds steps to bfloat16. What that takes away from them becomes a move of
// this rank, whose moves of the same rows these are.
void RoundSteps(absl::Span<float> steps, absl::Span<float> moves);

// The steps of the first of these rows of the table, as many as there are moves
// of, [rows, cols], from the moves of all ranks, [ranks, rows, cols]. The same
// values give the same bits.
void AddUpMoves(absl::Span<const float> moves, size_t ranks,
                const ReplicaTable& table, absl::Span<const size_t> rows,
                float* steps);

}  // namespace firth

#endif  // FIRTH_TRAIN_REPLICAS_ROW_DELTAS_H_
