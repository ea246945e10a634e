// Rows go over the network some megabytes at a time. An error of the first rank
// (a full disk) is kept until all rows have come: the others would wait for it.

#include "distributed/divided_table.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/mapped_file.h"
#include "base/matrix.h"
#include "base/unnamed_file.h"
#include "distributed/agreement.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// A message between ranks has about so many bytes.
constexpr size_t kChunkBytes = size_t{8} << 20;

// The rows [begin, end) of a share, without padding.
std::string BytesOfRows(const FloatTable& table, size_t begin, size_t end) {
  std::string bytes;
  for (size_t row = begin; row < end; ++row) {
    bytes.append(reinterpret_cast<const char*>(table.Row(row).data()),
                 table.cols() * sizeof(float));
  }
  return bytes;
}

// Rows of `dim` columns from those that each rank has of them.
PaddedMatrix JoinRows(const std::vector<std::string>& shares, size_t rows,
                      size_t dim) {
  PaddedMatrix joined(rows, dim);
  for (size_t rank = 0; rank < shares.size(); ++rank) {
    const ColumnShare share =
        ColumnsOf(dim, static_cast<int>(rank), static_cast<int>(shares.size()));
    const size_t bytes = share.count * sizeof(float);
    FIRTH_CHECK(shares[rank].size() == rows * bytes);
    for (size_t row = 0; row < rows; ++row) {
      std::memcpy(joined.Row(row) + share.first,
                  shares[rank].data() + row * bytes, bytes);
    }
  }
  return joined;
}

// A table that is written to a temporary file row by row.
class TableFile {
 public:
  TableFile() : folder_(TempFolder("")) {}
  ~TableFile() {
    if (fd_ >= 0) close(fd_);
  }
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;

  absl::Status Open() {
    FIRTH_ASSIGN_OR_RETURN(fd_, OpenUnnamed(folder_));
    return absl::OkStatus();
  }
  absl::Status Append(const PaddedMatrix& rows) {
    return WriteUnnamed(fd_,
                        {reinterpret_cast<const char*>(rows.data()),
                         rows.rows() * rows.stride() * sizeof(float)},
                        folder_);
  }
  absl::StatusOr<FloatTable> Take(size_t rows, size_t dim) {
    if (rows == 0) return FloatTable();
    FIRTH_ASSIGN_OR_RETURN(
        MappedFilePtr file,
        MappedFile::OfDescriptor(std::exchange(fd_, -1), folder_));
    const auto* const values = reinterpret_cast<const float*>(file->data());
    return FloatTable(
        ConstView<float>(values, rows, dim, PaddedStride<float>(dim)),
        std::move(file));
  }

 private:
  const std::string folder_;
  int fd_ = -1;
};

}  // namespace

ColumnShare ColumnsOf(size_t dim, int rank, int ranks) {
  const auto number = static_cast<size_t>(rank);
  const auto of = static_cast<size_t>(ranks);
  FIRTH_CHECK(dim >= of);
  const auto border = [&](size_t i) { return dim * i / of; };
  return {border(number), border(number + 1) - border(number)};
}

absl::Status CheckRoomForTables(uint64_t bytes) {
  const std::string folder = TempFolder("");
  FIRTH_ASSIGN_OR_RETURN(const int fd, OpenUnnamed(folder));
  struct statvfs found;
  const bool is_known = fstatvfs(fd, &found) == 0;
  close(fd);
  const uint64_t room = is_known ? found.f_bavail * found.f_frsize : bytes;
  if (room >= bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrFormat(
      "%s: expected %.1f MB for a temporary file with the whole tables, found "
      "%.1f MB; $TMPDIR may name another folder",
      folder, bytes * 1e-6, room * 1e-6));
}

absl::StatusOr<FloatTable> JoinColumns(Ranks& ranks, const FloatTable& own,
                                       size_t dim) {
  const bool is_first = ranks.rank() == 0;
  TableFile file;
  absl::Status status;
  if (is_first) status = file.Open();
  const size_t rows_at_once = kChunkBytes / (dim * sizeof(float)) + 1;
  for (size_t begin = 0; begin < own.rows(); begin += rows_at_once) {
    const size_t end = std::min(begin + rows_at_once, own.rows());
    std::vector<std::string> to(static_cast<size_t>(ranks.size()));
    to[0] = BytesOfRows(own, begin, end);
    FIRTH_ASSIGN_OR_RETURN(const auto shares, ranks.Exchange(to));
    if (is_first && status.ok()) {
      status = file.Append(JoinRows(shares, end - begin, dim));
    }
  }
  absl::StatusOr<FloatTable> joined = FloatTable();
  if (is_first) joined = status.ok() ? file.Take(own.rows(), dim) : status;
  FIRTH_RETURN_IF_ERROR(AgreeWithFirst(ranks, joined.status()));
  return joined;
}

}  // namespace firth
