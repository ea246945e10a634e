// The part of a .safetensors model that only words with n-grams have:
//
//   words         F32 [V, dim]     the words' own rows; optional
//   n_grams       F32 [rows, dim]
//   buckets       U32 [rows]       hashed n-grams: each row's bucket, ascending
//   n_gram_rows   U32 [n-grams]    explicit n-grams: the row of each, if some
//                                  n-grams share a row
//   n_gram_texts  U8  [bytes]      explicit n-grams: each row's n-gram and
//                                  '\n', or with n_gram_rows, each n-gram
//
// The metadata are "subword-index", "min-n", "max-n", "buckets" (their number)
// and "hashes", named like the options of training; "bucket-hash" if it is not
// fastText's; "missing-buckets" if buckets without a row do not count in a
// mean; "hash-seed" of floret's n-grams; and "word-begin" and "word-end" if
// they are not "<" and ">".

#ifndef FIRTH_IO_TENSORS_SAFETENSORS_SUBWORDS_H_
#define FIRTH_IO_TENSORS_SAFETENSORS_SUBWORDS_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "firth/word_vectors.h"
#include "io/tensors/safetensors_header.h"

namespace firth {

// The tensor of the rows of n-grams, or of their buckets.
inline constexpr char kNGrams[] = "n_grams";

// Returns nothing if the file has no tensor "n_grams". Tables stay in the file.
// `all_finite`: whether to check all their values for NaN and infinities.
absl::StatusOr<std::optional<SubwordTables>> ReadSubwordTensors(
    const MappedFilePtr& file, const SafetensorsHeader& header, uint64_t words,
    uint64_t dim, bool all_finite);

// Adds the tensors and the metadata. Borrows the subwords.
void AddSubwordTensors(const SubwordTables& subwords,
                       SafetensorsWriter* writer);

// Returns whether AddSubwordTensors() adds a tensor of this name, other than
// the table of n-grams.
bool IsOfSubwordIndex(absl::string_view tensor);

}  // namespace firth

#endif  // FIRTH_IO_TENSORS_SAFETENSORS_SUBWORDS_H_
