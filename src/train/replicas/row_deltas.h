// What training has moved in the rows of a table since the last exchange.

#ifndef FIRTH_TRAIN_REPLICAS_ROW_DELTAS_H_
#define FIRTH_TRAIN_REPLICAS_ROW_DELTAS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/matrix.h"
#include "base/shared_matrix.h"

namespace firth {

// A table that other threads train on, and what all replicas of it had at their
// last exchange. Not thread-safe itself.
class ReplicaTable {
 public:
  // Borrows the table, which is the same on all ranks and at rest.
  explicit ReplicaTable(SharedMatrix& table);

  size_t rows() const { return table_.rows(); }
  // Values of a row as it is sent: its columns, and whether it moved.
  size_t SentValues() const { return table_.cols() + 1; }

  // Appends to *out how rows [begin, end) have moved. Returns
  // whether all of it is finite.
  bool Collect(size_t begin, size_t end, std::vector<float>* out);
  // Of the same rows, after Collect(): `sums` are those of all ranks. A row
  // moves by its sum divided by the ranks that moved it, or by `least` if they
  // are fewer, in place of what this rank moved it by; what it moved since
  // Collect() stays.
  void Apply(size_t begin, size_t end, absl::Span<const float> sums,
             float least);

 private:
  SharedMatrix& table_;
  PaddedMatrix base_;   // [rows, cols], the same on all ranks
  PaddedMatrix moved_;  // of the rows collected last
};

}  // namespace firth

#endif  // FIRTH_TRAIN_REPLICAS_ROW_DELTAS_H_
