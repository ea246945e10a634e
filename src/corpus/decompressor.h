// Decompression of a ByteSource.
//
// gzip, bzip2 and xz use the filters of Boost.Iostreams, which read files of
// several members or streams to their end and fail on truncated ones. Its zstd
// filter accepts truncated files, so zstd is decoded with the zstd library
// itself.

#ifndef FIRTH_CORPUS_DECOMPRESSOR_H_
#define FIRTH_CORPUS_DECOMPRESSOR_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "corpus/byte_source.h"

namespace firth {

enum class Compression { kNone, kGzip, kBzip2, kXz, kZstd };

// Returns "gzip", ...; "" for kNone.
absl::string_view NameOf(Compression compression);

// Maximum number of bytes that RecogniseCompression() examines.
constexpr size_t kMagicBytes = 10;

// Recognizes the compression by the first kMagicBytes of a file, or by all of
// it if it is shorter. A file that is truncated inside its magic number still
// counts as compressed.
Compression RecogniseCompression(absl::string_view start);

// Returns whether `start` is the beginning of a magic number, but not all of
// it, so that more bytes could change the result. Returns true for no bytes.
bool MayBecomeCompressed(absl::string_view start);

// Returns the decompressed bytes of `source` (`source` itself for kNone).
// `name` is used in messages. Errors of reading: DataLoss, with a byte of the
// compressed file.
std::unique_ptr<ByteSource> Decompress(Compression compression,
                                       const std::string& name,
                                       std::unique_ptr<ByteSource> source);

}  // namespace firth

#endif  // FIRTH_CORPUS_DECOMPRESSOR_H_
