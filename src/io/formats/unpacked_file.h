// Files of vectors as they are published: plain, or compressed.

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

// As much of the start as tells what is in a file, in bytes.
constexpr size_t kHeadBytes = size_t{1} << 20;

// Vectors shrink to a third, but tables of n-grams that no word had are zeros,
// of which nothing is left. Beyond this many bytes, what unpacks to more than a
// hundred times its size was made to fill a disk.
constexpr uint64_t kUnpackFreely = uint64_t{4} << 30;

struct UnpackedFile {
  MappedFilePtr file;  // not compressed; its path is that of the packed one
  uint64_t packed_bytes = 0;  // of the file at that path
  Compression compression = Compression::kNone;
};

// Maps the file. What is compressed (gzip, bzip2, xz, zstd: content tells) is
// unpacked into a temporary file without a name, so that it takes no more
// memory than the plain file would; `check` sees the first kHeadBytes of it
// before the rest is unpacked, as it may be a thousand times as long.
// Errors: those of MappedFile::Open() and of `check`; DataLoss, corrupt or
// truncated; ResourceExhausted, no space, or more than 100 times the size and
// `unpack_freely` bytes; Cancelled.
absl::StatusOr<UnpackedFile> OpenUnpacked(
    const std::string& path,
    absl::FunctionRef<absl::Status(absl::string_view head)> check,
    const Hooks& hooks = {}, uint64_t unpack_freely = kUnpackFreely);

// `path` without the extension of a compression, such as .gz.
absl::string_view PlainName(absl::string_view path);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_UNPACKED_FILE_H_
