// Vector files as they are published: plain or compressed.

#ifndef FIRTH_IO_FORMATS_UNPACKED_FILE_H_
#define FIRTH_IO_FORMATS_UNPACKED_FILE_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "corpus/decompressor.h"
#include "firth/progress.h"

namespace firth {

// Bytes at the start of a file that suffice to recognize its content.
constexpr size_t kHeadBytes = size_t{1} << 20;

// Vectors shrink to a third, but rows of n-grams that no word used are zeros,
// which shrink to almost nothing. Above this many bytes, a file that grows to
// more than a hundred times its size was made to fill a disk.
constexpr uint64_t kUnpackFreely = uint64_t{4} << 30;

struct UnpackedFile {
  // Not compressed, but its path is that of the compressed file.
  MappedFilePtr file;
  uint64_t packed_bytes = 0;  // Size of the file at that path.
  Compression compression = Compression::kNone;
};

// Maps the file. A compressed file (gzip, bzip2, xz, zstd, recognized by
// content) is unpacked into a temporary file without a name, so that it takes
// no more memory than the plain file would. `check` receives its first
// kHeadBytes before the rest is unpacked, which may be a thousand times as
// long. Errors: those of MappedFile::Open() and of `check`; DataLoss, corrupt
// or truncated; ResourceExhausted, no space, or more than 100 times the size
// and `unpack_freely` bytes; Cancelled.
absl::StatusOr<UnpackedFile> OpenUnpacked(
    const std::string& path,
    absl::FunctionRef<absl::Status(absl::string_view head)> check,
    const Hooks& hooks = {}, uint64_t unpack_freely = kUnpackFreely);

// Returns `path` without the extension of a compression, such as .gz.
absl::string_view PlainName(absl::string_view path);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_UNPACKED_FILE_H_
