// Streams and tables go over the network some megabytes at a time. An error of
// one rank (a full disk) is kept until the exchange is over: the others would
// wait for the rank that left.

#include "train/columns/column_tables.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/mapped_file.h"
#include "base/matrix.h"
#include "base/memory_info.h"
#include "base/unnamed_file.h"
#include "corpus/token_spool.h"
#include "distributed/agreement.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// What is sent at once, about, in bytes.
constexpr size_t kChunkBytes = size_t{8} << 20;

absl::string_view BytesOfIds(absl::Span<const uint32_t> ids) {
  return {reinterpret_cast<const char*>(ids.data()),
          ids.size() * sizeof(uint32_t)};
}

// Appends ids behind what came so far. A sentence end that ends nothing, as a
// rank's share may have at its start, is left out.
absl::Status AppendIds(const std::string& bytes, bool* after_end,
                       TokenSpool* spool) {
  std::vector<uint32_t> ids(bytes.size() / sizeof(uint32_t));
  std::memcpy(ids.data(), bytes.data(), bytes.size());
  if (ids.empty()) return absl::OkStatus();
  const size_t skipped = ids[0] == TokenStream::kSentenceEnd && *after_end;
  if (ids.size() > skipped)
    *after_end = ids.back() == TokenStream::kSentenceEnd;
  return spool->Append(absl::MakeConstSpan(ids).subspan(skipped));
}

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
  const size_t lines = (dim + kRowFloats - 1) / kRowFloats;
  const size_t unit = lines >= of ? kRowFloats : 1;
  const size_t units = (dim + unit - 1) / unit;
  const auto border = [&](size_t i) {
    return std::min(dim, units * i / of * unit);
  };
  return {border(number), border(number + 1) - border(number)};
}

ModelShape ShareOfShape(ModelShape shape, const Ranks& ranks) {
  const ColumnShare share = ColumnsOf(shape.dim, ranks.rank(), ranks.size());
  shape.whole_dim = shape.dim;
  shape.first_column = share.first;
  shape.dim = share.count;
  return shape;
}

absl::StatusOr<std::shared_ptr<const TokenStream>> JoinStreams(
    Ranks& ranks, const TokenStream& own) {
  const auto size = static_cast<size_t>(ranks.size());
  std::vector<uint64_t> sizes(size + 1);
  sizes[static_cast<size_t>(ranks.rank())] = own.tokens().size();
  sizes[size] = own.num_words();
  FIRTH_RETURN_IF_ERROR(ranks.Sum(absl::MakeSpan(sizes)));
  TokenSpool spool(AvailableMemoryBytes() / 4, "");
  absl::Status status;
  bool after_end = true;
  constexpr uint64_t kChunk = kChunkBytes / sizeof(uint32_t);
  for (size_t from = 0; from < size; ++from) {
    const bool is_own = from == static_cast<size_t>(ranks.rank());
    for (uint64_t at = 0; at < sizes[from]; at += kChunk) {
      std::string chunk;
      if (is_own)
        chunk = std::string(BytesOfIds(own.tokens().subspan(at, kChunk)));
      FIRTH_ASSIGN_OR_RETURN(const auto came, GatherTexts(ranks, chunk));
      if (status.ok()) status = AppendIds(came[from], &after_end, &spool);
    }
  }
  FIRTH_RETURN_IF_ERROR(Agree(ranks, status));
  auto joined = spool.Map().status().ok()
                    ? spool.TakeStream(spool.size(), sizes[size])
                    : spool.Map().status();
  FIRTH_RETURN_IF_ERROR(Agree(ranks, joined.status()));
  return joined;
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
  FIRTH_RETURN_IF_ERROR(Agree(ranks, status));
  if (!is_first) return FloatTable();
  return file.Take(own.rows(), dim);
}

}  // namespace firth
