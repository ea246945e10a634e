// Changes of a table's rows since the last exchange, and how the changes of all
// ranks are merged.
//
// R ranks start from the same values of a row and move it by d_r. If the moves
// have different directions, the right result is their sum. If they have the
// same direction and each has reached the end of its way, it is no more than
// one of them, because each rank alone would have arrived there. For two moves,
// Adasum (Maleki et al., "Scaling Distributed Training with Adaptive
// Summation", 2021) subtracts from each half of its projection on the other.
// This is its closed form for any number of moves:
//
//   step  = share * sum_r d_r
//   share = sum_r |d_r|^2 / |sum_r d_r|^2, at most 1
//
// The step is the sum if all moves are orthogonal or only one rank moved, and
// the mean if all are equal. But ranks that move in the same direction have
// often not reached the end since the last exchange. If each has gone 1 - e^-s
// of the way, one process with the text of all would have gone 1 - e^-Rs, so
// the share is at least
//
//   (1 - e^-Rs) / (R (1 - e^-s)),   s = 2 (sum_r |d_r|^2 / R)^1/2 / |row|
//
// This s, the length of the moves relative to the row, works well. Biases and
// position weights saturate: every window moves them, so each rank soon reaches
// the end, and their share is the first one above.

#ifndef FIRTH_TRAIN_REPLICAS_ROW_DELTAS_H_
#define FIRTH_TRAIN_REPLICAS_ROW_DELTAS_H_

#include <cstddef>

#include "base/matrix.h"
#include "base/shared_matrix.h"
#include "firth/train.h"

namespace firth {

// A table that other threads train on, and its values on all replicas after the
// last exchange. Not thread-safe itself.
class ReplicaTable {
 public:
  // Borrows the table, which must be the same on all ranks and not in use.
  // `send` is the format of moves and steps; two bfloat16 numbers are stored in
  // one float. See above for `saturates`.
  ReplicaTable(SharedMatrix& table, SentNumbers send, bool saturates = false);

  size_t rows() const { return table_.rows(); }
  size_t cols() const { return table_.cols(); }
  // Returns the number of floats in which a row is sent.
  size_t sent_cols() const;

  // Sets `move`, [sent_cols()], to the change of the row. What rounding removes
  // remains a move of this rank. Returns whether all values are finite.
  bool Collect(size_t row, float* move) const;
  // Sets `step`, [sent_cols()], to the step of the row, given its moves on all
  // ranks, which are `stride` floats apart. What rounding removes becomes a
  // move of this rank. The same values give the same bits.
  void AddUp(size_t row, const float* moves, size_t ranks, size_t stride,
             float* step);
  // Replaces this rank's move of the row by its step. Keeps changes since
  // Collect().
  void Apply(size_t row, const float* move, const float* step);

  // Sets the table to the values of all ranks after the last exchange, bit for
  // bit; rounding has made them differ since then. Nothing may train meanwhile.
  void Settle();
  // Does the reverse: the table, the same on all ranks, becomes those values.
  void Restart();

 private:
  SharedMatrix& table_;
  const SentNumbers send_;
  const bool saturates_;
  PaddedMatrix base_;  // [rows, cols], the same on all ranks
  PaddedMatrix sum_;   // [1, cols], the sum of a row's moves
};

// Returns the share defined above. `squares` is sum_r |d_r|^2, `squares_of_sum`
// is |sum_r d_r|^2, and `squares_of_row` is |row|^2 before the moves.
float ShareOfSum(bool saturates, size_t ranks, float squares,
                 float squares_of_sum, float squares_of_row);

}  // namespace firth

#endif  // FIRTH_TRAIN_REPLICAS_ROW_DELTAS_H_
