// Decompression of a ByteSource.
//
// gzip, bzip2 and xz come from the filters of Boost.Iostreams, which read files
// of several members or streams to their end and fail on truncated ones. Its
// zstd filter takes a truncated file for a whole one, so zstd is decoded with
// the zstd library itself.

#ifndef FIRTH_CORPUS_DECOMPRESSOR_H_
#define FIRTH_CORPUS_DECOMPRESSOR_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "corpus/byte_source.h"

namespace firth {

enum class Compression { kNone, kGzip, kBzip2, kXz, kZstd };

// "gzip", ...; empty for kNone.
absl::string_view NameOf(Compression compression);

// The most bytes that RecogniseCompression() looks at.
constexpr size_t kMagicBytes = 10;

// By the first kMagicBytes of a file, or all of it if it is shorter: a file cut
// inside of its magic number still counts as compressed.
Compression RecogniseCompression(absl::string_view start);

// Whether `start` is the beginning of a magic number, but not all of it: more
// bytes could tell another compression. True of no bytes at all.
bool MayBecomeCompressed(absl::string_view start);

// The decompressed bytes of `source` (itself for kNone). `name` stands in
// messages. Errors of reading: DataLoss, with a byte of the compressed file.
std::unique_ptr<ByteSource> Decompress(Compression compression,
                                       const std::string& name,
                                       std::unique_ptr<ByteSource> source);

}  // namespace firth

#endif  // FIRTH_CORPUS_DECOMPRESSOR_H_
