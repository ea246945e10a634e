// A table whose columns are divided among the ranks.

#ifndef FIRTH_DISTRIBUTED_DIVIDED_TABLE_H_
#define FIRTH_DISTRIBUTED_DIVIDED_TABLE_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/matrix.h"
#include "firth/matrix.h"
#include "firth/ranks.h"

namespace firth {

// Columns [first, first + count) of all.
struct ColumnShare {
  size_t first = 0;
  size_t count = 0;
};

// Returns the share of a rank in `dim` columns, which must be at least as many
// as the ranks. The shares are equal, so that no rank waits for one that has
// more work.
ColumnShare ColumnsOf(size_t dim, int rank, int ranks);

// A temporary file in $TMPDIR with room for one table. It is reserved before a
// long training run, so that the disk cannot be full at its end. It can be used
// again once the table that was read from it is destroyed.
class TableFile {
 public:
  // Creates a file for a table of `rows` rows of `dim` values. Reserves the
  // disk space if the file system supports it (most do, but NFS before 4.2 does
  // not), and otherwise checks that it is free now. Errors: those of the
  // system; ResourceExhausted, with the bytes that are needed and those that
  // are free.
  static absl::StatusOr<TableFile> Reserve(size_t rows, size_t dim);
  // Creates a file without reserving space; rows take disk space as they are
  // written.
  static absl::StatusOr<TableFile> Create();
  TableFile(TableFile&& other) noexcept;
  TableFile& operator=(TableFile&& other) noexcept;
  ~TableFile();

  // Makes Append() start again at the first row.
  absl::Status Rewind();
  absl::Status Append(const PaddedMatrix& rows);
  // Maps the rows that were written.
  absl::StatusOr<FloatTable> Table(size_t rows, size_t dim) const;

 private:
  TableFile(std::string folder, int fd) : folder_(std::move(folder)), fd_(fd) {}
  std::string folder_;
  int fd_ = -1;
};

// The files for the tables of a model that is divided by columns.
struct TableFiles {
  TableFile input;
  TableFile output;
};

// Joins the columns of all ranks. Returns the table [rows, dim] on rank 0, and
// an empty table on the others. The table is stored in a temporary file, since
// it may be larger than the memory of a rank: in `file`, which stays in use as
// long as the table exists, or in a new file if `file` is null. Errors: those
// of the ranks and of a full disk, the same on each rank.
absl::StatusOr<FloatTable> JoinColumns(Ranks& ranks, const FloatTable& own,
                                       size_t dim, TableFile* file = nullptr);

}  // namespace firth

#endif  // FIRTH_DISTRIBUTED_DIVIDED_TABLE_H_
