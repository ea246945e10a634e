// A table of whose columns each rank has some.

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

// What a rank has of `dim` columns, which are at least as many as the ranks: as
// many as the others, so that none waits for one that has more to do.
ColumnShare ColumnsOf(size_t dim, int rank, int ranks);

// A temporary file in $TMPDIR with room for one table, which is reserved before
// a long training so that the disk cannot be full at its end. Can be used again
// once the table that was read from it is gone.
class TableFile {
 public:
  // For a table of `rows` rows of `dim` values. Reserves the disk space where
  // the file system can (most can, NFS before 4.2 cannot), and otherwise checks
  // that it is free now. Errors: those of the system; ResourceExhausted, with
  // the bytes that are needed and those that are free.
  static absl::StatusOr<TableFile> Reserve(size_t rows, size_t dim);
  // Reserves nothing: disk space is taken as rows are written.
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

// The table [rows, dim] of which each rank has its columns, on rank 0; on the
// others none. It is kept in a temporary file, since it may be larger than the
// memory of a rank: in `file`, which stays in use as long as the table lives,
// or if it is null in a new one. Errors: those of the ranks and of a full disk,
// the same on each.
absl::StatusOr<FloatTable> JoinColumns(Ranks& ranks, const FloatTable& own,
                                       size_t dim, TableFile* file = nullptr);

}  // namespace firth

#endif  // FIRTH_DISTRIBUTED_DIVIDED_TABLE_H_
