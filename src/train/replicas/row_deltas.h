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

#include "base/matrix.h"
#include "base/shared_matrix.h"
#include "firth/train.h"

namespace firth {

// A table that other threads train on, and what all replicas of it had at their
// last exchange. Not thread-safe itself.
class ReplicaTable {
 public:
  // Borrows the table, which is the same on all ranks and at rest. send: what
  // moves and steps are, as bfloat16 two in the place of a float. saturates:
  // see above.
  ReplicaTable(SharedMatrix& table, SentNumbers send, bool saturates = false);

  size_t rows() const { return table_.rows(); }
  size_t cols() const { return table_.cols(); }
  // The floats that a row is sent as.
  size_t sent_cols() const;

  // Makes move, [sent_cols()], how the row has moved. What rounding takes away
  // stays a move of this rank. Returns whether all of it is finite.
  bool Collect(size_t row, float* move) const;
  // Makes step, [sent_cols()], the step of the row from its moves on all ranks,
  // one every `stride` floats. What rounding takes away becomes a move of this
  // rank. The same values give the same bits.
  void AddUp(size_t row, const float* moves, size_t ranks, size_t stride,
             float* step);
  // The row takes its step in place of what this rank moved it by; what it has
  // been moved since Collect() stays.
  void Apply(size_t row, const float* move, const float* step);

  // While nobody trains. Makes the table what all ranks had at their last
  // exchange, to the last bit: since then, rounding has parted them.
  void Settle();
  // The same the other way: what the table has now all ranks have.
  void Restart();

 private:
  SharedMatrix& table_;
  const SentNumbers send_;
  const bool saturates_;
  PaddedMatrix base_;  // [rows, cols], the same on all ranks
  PaddedMatrix sum_;   // [1, cols], of the moves of a row
};

// Returns the share above. squares: sum_r |d_r|^2; squares_of_sum: |sum_r
// d_r|^2; squares_of_row: |row|^2 before the moves.
float ShareOfSum(bool saturates, size_t ranks, float squares,
                 float squares_of_sum, float squares_of_row);

}  // namespace firth

#endif  // FIRTH_TRAIN_REPLICAS_ROW_DELTAS_H_
