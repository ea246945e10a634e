// Rows are sent over the network a few megabytes at a time. An error of the
// first rank (a full disk) is reported only after all rows have arrived,
// because the other ranks would wait for it otherwise.

#include "distributed/divided_table.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/errno_status.h"
#include "base/mapped_file.h"
#include "base/temporary_files.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// Approximate size of a message between ranks.
constexpr size_t kChunkBytes = size_t{8} << 20;

// Returns the bytes of rows [begin, end) of a share, without padding.
std::string BytesOfRows(const FloatTable& table, size_t begin, size_t end) {
  std::string bytes;
  for (size_t row = begin; row < end; ++row) {
    bytes.append(reinterpret_cast<const char*>(table.Row(row).data()),
                 table.cols() * sizeof(float));
  }
  return bytes;
}

// Joins rows of `dim` columns from the columns that each rank has.
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

// Reserves the bytes, or checks that they are free if the file system cannot
// reserve them.
absl::Status Allocate(int fd, uint64_t bytes, const std::string& folder) {
  if (bytes == 0) return absl::OkStatus();
  const FileSizeSignalHeld held;
  int result = 0;
  do {
    result = fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  if (result == 0) return absl::OkStatus();
  const int error = errno;
  struct statvfs found;
  const bool is_known = fstatvfs(fd, &found) == 0;
  const uint64_t room = is_known ? found.f_bavail * found.f_frsize : bytes;
  if (error != ENOSPC && error != EFBIG && room >= bytes) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(absl::StrFormat(
      "%s: a temporary file with a whole table needs %.1f MB, but only %.1f MB "
      "are free%s; set $TMPDIR to another folder",
      folder, bytes * 1e-6, room * 1e-6,
      error == EFBIG ? " or the limit on file sizes is smaller" : ""));
}

}  // namespace

ColumnShare ColumnsOf(size_t dim, int rank, int ranks) {
  const auto number = static_cast<size_t>(rank);
  const auto of = static_cast<size_t>(ranks);
  FIRTH_CHECK(dim >= of);
  const auto border = [&](size_t i) { return dim * i / of; };
  return {border(number), border(number + 1) - border(number)};
}

absl::StatusOr<TableFile> TableFile::Create() {
  std::string folder = TemporaryFolder("");
  FIRTH_ASSIGN_OR_RETURN(const int fd, OpenUnnamed(folder));
  return TableFile(std::move(folder), fd);
}

absl::StatusOr<TableFile> TableFile::Reserve(size_t rows, size_t dim) {
  FIRTH_ASSIGN_OR_RETURN(TableFile file, Create());
  const uint64_t bytes =
      uint64_t{rows} * PaddedStride<float>(dim) * sizeof(float);
  FIRTH_RETURN_IF_ERROR(Allocate(file.fd_, bytes, file.folder_));
  return file;
}

TableFile::TableFile(TableFile&& other) noexcept
    : folder_(std::move(other.folder_)), fd_(std::exchange(other.fd_, -1)) {}

TableFile& TableFile::operator=(TableFile&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(fd_, other.fd_);
  return *this;
}

TableFile::~TableFile() {
  if (fd_ >= 0) close(fd_);
}

absl::Status TableFile::Rewind() {
  if (lseek(fd_, 0, SEEK_SET) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, folder_, "cannot rewind a temporary file");
}

absl::Status TableFile::Append(const PaddedMatrix& rows) {
  return WriteUnnamed(fd_,
                      {reinterpret_cast<const char*>(rows.data()),
                       rows.rows() * rows.stride() * sizeof(float)},
                      folder_);
}

absl::StatusOr<FloatTable> TableFile::Table(size_t rows, size_t dim) const {
  if (rows == 0) return FloatTable();
  const int fd = fcntl(fd_, F_DUPFD_CLOEXEC, 0);
  if (fd < 0)
    return ErrnoStatus(errno, folder_, "cannot read a temporary file");
  FIRTH_ASSIGN_OR_RETURN(MappedFilePtr file,
                         MappedFile::OfDescriptor(fd, folder_));
  const auto* const values = reinterpret_cast<const float*>(file->data());
  return FloatTable(
      ConstView<float>(values, rows, dim, PaddedStride<float>(dim)),
      std::move(file));
}

absl::StatusOr<FloatTable> JoinColumns(Ranks& ranks, const FloatTable& own,
                                       size_t dim, TableFile* file) {
  const bool is_first = ranks.rank() == 0;
  absl::Status status;
  std::optional<TableFile> created;
  if (is_first && file == nullptr) {
    absl::StatusOr<TableFile> opened = TableFile::Create();
    status = opened.status();
    if (opened.ok()) file = &created.emplace(*std::move(opened));
  } else if (is_first) {
    status = file->Rewind();
  }
  const size_t rows_at_once = kChunkBytes / (dim * sizeof(float)) + 1;
  for (size_t begin = 0; begin < own.rows(); begin += rows_at_once) {
    const size_t end = std::min(begin + rows_at_once, own.rows());
    std::vector<std::string> to(static_cast<size_t>(ranks.size()));
    to[0] = BytesOfRows(own, begin, end);
    FIRTH_ASSIGN_OR_RETURN(const auto shares, ranks.Exchange(to));
    if (is_first && status.ok()) {
      status = file->Append(JoinRows(shares, end - begin, dim));
    }
  }
  absl::StatusOr<FloatTable> joined = FloatTable();
  if (is_first && !status.ok()) joined = status;
  if (is_first && status.ok()) joined = file->Table(own.rows(), dim);
  FIRTH_RETURN_IF_ERROR(AgreeWithFirst(&ranks, joined.status()));
  return joined;
}

}  // namespace firth
