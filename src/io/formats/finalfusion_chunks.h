// The structure of a finalfusion file (.fifu), in little-endian numbers:
//
//   "FiFu", u32 version 0, u32 n, n * u32 kinds of chunks, then the chunks,
//   each u32 kind, u64 bytes of the rest, the rest
//
// Floats in a chunk are aligned to 4 bytes by 4 - (position % 4) bytes of
// padding, so there is always at least one.

#ifndef FIRTH_IO_FORMATS_FINALFUSION_CHUNKS_H_
#define FIRTH_IO_FORMATS_FINALFUSION_CHUNKS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/output_file.h"
#include "firth/status_macros.h"
#include "io/codecs/byte_reader.h"

namespace firth {

enum class FifuKind : uint32_t {
  kWords = 1,  // Vocabularies: this one without n-grams, the others with them.
  kArray = 2,
  kBucketWords = 3,
  kQuantizedArray = 4,
  kMetadata = 5,
  kNorms = 6,
  kFasttextWords = 7,
  kExplicitWords = 8,
  kFloret = 9,  // N-grams, but no words.
};

// Types of values.
constexpr uint32_t kFifuByte = 1;
constexpr uint32_t kFifuFloat = 10;

constexpr absl::string_view kFifuMagic = "FiFu";

struct FifuChunk {
  FifuKind kind = FifuKind::kWords;
  uint64_t begin = 0;  // Start of the rest, from the start of the file.
  uint64_t bytes = 0;
};

// The chunks of a valid file: a vocabulary, an array and optionally norms and
// metadata, once each, in any order, up to the end of the file.
struct FifuChunks {
  FifuChunk vocabulary;
  FifuChunk array;
  FifuChunk norms;     // 0 bytes if there are none.
  FifuChunk metadata;  // Likewise.
};

// Reads only the structure. Errors: DataLoss.
absl::StatusOr<FifuChunks> ReadFifuChunks(ByteReader& reader);

// Returns the reader's error, or an error if it is not at the end of the chunk.
absl::Status CheckFifuEnd(ByteReader& reader, const FifuChunk& chunk);

// Reads a type of values, which must be `type`.
void ReadFifuType(ByteReader& reader, uint32_t type);
void SkipFifuPadding(ByteReader& reader);

constexpr uint64_t FifuPadding(uint64_t position) { return 4 - position % 4; }

// Writes the start of a file, which lists the kinds of its chunks.
absl::Status WriteFifuHeader(const std::vector<FifuKind>& kinds,
                             OutputFile& out);

// Writes the head of a chunk and the numbers at its start. They are followed by
// `rest` bytes.
template <class... Numbers>
absl::Status StartFifuChunk(OutputFile& out, FifuKind kind, uint64_t rest,
                            Numbers... numbers) {
  return out.WriteNumbers(kind, rest + (uint64_t{0} + ... + sizeof(numbers)),
                          numbers...);
}

// Does the same, and adds padding to align what follows.
template <class... Numbers>
absl::Status StartAlignedFifuChunk(OutputFile& out, FifuKind kind,
                                   uint64_t rest, Numbers... numbers) {
  const uint64_t padding =
      FifuPadding(out.position() + sizeof(kind) + sizeof(rest) +
                  (uint64_t{0} + ... + sizeof(numbers)));
  FIRTH_RETURN_IF_ERROR(StartFifuChunk(out, kind, padding + rest, numbers...));
  constexpr char kZeros[4] = {};
  return out.Write({kZeros, padding});
}

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_FINALFUSION_CHUNKS_H_
