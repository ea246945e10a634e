// Streams are sent over the network a few megabytes at a time. A rank that
// fails (its disk is full) keeps the error until the exchange is over, because
// the other ranks would wait for a rank that left.

#include "train/columns/column_tables.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/memory_info.h"
#include "corpus/token_spool.h"
#include "distributed/agreement.h"
#include "distributed/divided_table.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// Approximate size of a message between ranks, in bytes.
constexpr size_t kChunkBytes = size_t{8} << 20;

absl::string_view BytesOfIds(absl::Span<const uint32_t> ids) {
  return {reinterpret_cast<const char*>(ids.data()),
          ids.size() * sizeof(uint32_t)};
}

// Appends ids to those received so far. Omits a sentence end that ends nothing,
// which may occur at the start of a rank's share.
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

}  // namespace

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
  FIRTH_RETURN_IF_ERROR(Agree(&ranks, status));
  auto joined = spool.Map().status().ok()
                    ? spool.TakeStream(spool.size(), sizes[size])
                    : spool.Map().status();
  FIRTH_RETURN_IF_ERROR(Agree(&ranks, joined.status()));
  return joined;
}

}  // namespace firth
