// The vocabulary of a finalfusion file. A text is its length in bytes as u32,
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

#ifndef FIRTH_IO_FORMATS_FINALFUSION_VOCABULARY_H_
#define FIRTH_IO_FORMATS_FINALFUSION_VOCABULARY_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/output_file.h"
#include "firth/subwords.h"
#include "firth/word_vectors.h"
#include "io/codecs/byte_reader.h"
#include "io/formats/finalfusion_chunks.h"

namespace firth {

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

#endif  // FIRTH_IO_FORMATS_FINALFUSION_VOCABULARY_H_
