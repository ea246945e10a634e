// ByteSource: supplies the bytes of one text, already decompressed.

#ifndef FIRTH_CORPUS_BYTE_SOURCE_H_
#define FIRTH_CORPUS_BYTE_SOURCE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace firth {

// Not thread-safe.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills the start of `out`, which must not be empty, and returns the number
  // of bytes; 0 only at the end. Errors name the file.
  virtual absl::StatusOr<size_t> Read(absl::Span<char> out) = 0;
};

// Opens a file or, for "-", standard input. Compression (gzip, bzip2, xz, zstd)
// is recognized by the first bytes. A read that waits for a pipe ends with
// Cancelled if *stop (may be null) becomes true. Errors: NotFound,
// PermissionDenied and, when reading, DataLoss (corrupt or truncated).
absl::StatusOr<std::unique_ptr<ByteSource>> OpenByteSource(
    const std::string& path, const std::atomic<bool>* stop);

// Opens the bytes [begin, end) of a file, which must not be compressed.
absl::StatusOr<std::unique_ptr<ByteSource>> OpenByteShare(
    const std::string& path, uint64_t begin, uint64_t end,
    const std::atomic<bool>* stop);

// Reads bytes in memory, which must outlive the source. Never decompresses.
std::unique_ptr<ByteSource> MakeMemorySource(absl::string_view bytes);

// Returns the name of an input in messages: its path, or "standard input" for
// "-".
std::string InputName(const std::string& path);

}  // namespace firth

#endif  // FIRTH_CORPUS_BYTE_SOURCE_H_
