// A table of whose columns each rank has some.

#ifndef FIRTH_DISTRIBUTED_DIVIDED_TABLE_H_
#define FIRTH_DISTRIBUTED_DIVIDED_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "firth/matrix.h"
#include "firth/ranks.h"

namespace firth {

// Columns [first, first + count) of all.
struct ColumnShare {
  size_t first = 0;
  size_t count = 0;
};

// What a rank has of `dim` columns, which are at least as many as the ranks: as
// many as the others, so that none waits for one that has more to do.
ColumnShare ColumnsOf(size_t dim, int rank, int ranks);

// Whether the first rank has a folder, and room in it, for tables of so many
// bytes that JoinColumns() puts together. Ask before a long training.
// Errors: those of the system; ResourceExhausted, with what is there.
absl::Status CheckRoomForTables(uint64_t bytes);

// The table [rows, dim] of which each rank has its columns, on rank 0; on the
// others none. It lies in a temporary file that vanishes with it, as it may be
// larger than the memory of a rank. Errors: those of the ranks and of a full
// disk, the same on each.
absl::StatusOr<FloatTable> JoinColumns(Ranks& ranks, const FloatTable& own,
                                       size_t dim);

}  // namespace firth

#endif  // FIRTH_DISTRIBUTED_DIVIDED_TABLE_H_
