// The structure of a finalfusion file (.fifu), and its vocabulary, in
// little-endian numbers:
//
//   "FiFu", u32 version 0, u32 n, n * u32 kinds of chunks, then the chunks,
//   each u32 kind, u64 bytes of the rest, the rest
//
// Floats in a chunk are aligned to 4 bytes by 4 - (position % 4) bytes of
// padding, so there is always at least one.
//
// The vocabulary is one of the following. A text is its length in bytes as u32,
// then UTF-8.
//
//   words          u64 V, V texts
//   bucket words   u64 V, u32 min n, max n, exponent of 2 of the buckets; texts
//   fastText words u64 V, u32 min n, max n, buckets; texts
//   explicit words u64 V, u64 N, u32 min n, max n; V texts; N * (text, u64 row)
//   floret         u32 min n, max n, u64 buckets, u32 hashes, seed, two texts
//
// n-gram row r is row V + r of the array. Unlike fastText and floret,
// finalfusion treats "<" and ">" alone as n-grams if min n is 1, for all kinds.
// Firth does so only for bucket words and if a list contains them.

#ifndef FIRTH_IO_FORMATS_FINALFUSION_CHUNKS_H_
#define FIRTH_IO_FORMATS_FINALFUSION_CHUNKS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/output_file.h"
#include "firth/status_macros.h"
#include "firth/subwords.h"
#include "firth/word_vectors.h"
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

struct FifuVocabulary {
  std::vector<absl::string_view> words;
  SubwordOptions subwords;
  // For explicit n-grams: the n-grams and the row of each.
  std::vector<absl::string_view> n_grams;
  std::vector<uint32_t> n_gram_rows;
};

// Reads a vocabulary. The texts stay in the file. Errors: DataLoss.
absl::StatusOr<FifuVocabulary> ReadFifuVocabulary(const FifuChunk& chunk,
                                                  ByteReader& reader);

// Returns the index of its n-grams, for which the array has `rows` rows.
// Errors: DataLoss.
absl::StatusOr<SubwordIndex> MakeFifuIndex(const FifuVocabulary& vocabulary,
                                           uint64_t rows,
                                           const FifuChunk& chunk,
                                           ByteReader& reader);

// Returns the number of words, without reading them.
absl::StatusOr<uint64_t> CountFifuWords(const FifuChunk& chunk,
                                        ByteReader& reader);

// Return whether there is a kind of vocabulary for such n-grams, and which it
// is.
bool FifuHoldsSubwords(const SubwordOptions& options);
FifuKind FifuVocabularyKind(const SubwordOptions& options);

// Writes a vocabulary. If `index` is null, it has no n-grams.
absl::Status WriteFifuVocabulary(const Vocabulary& vocabulary,
                                 const SubwordIndex* index, OutputFile& out);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_FINALFUSION_CHUNKS_H_
