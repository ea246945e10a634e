// The file of a counting model: a .safetensors that is mapped, with the arrays
// of NgramTrie as tensors:
//
//   vocabulary         U8 [bytes]      the words, with '\n' after each
//   words              U32 [nodes]
//   log_probabilities  F32 [nodes]
//   children           U32 [inner nodes + 1]
//   suffixes           U32 [inner nodes]
//   backoffs           F32 [inner nodes]
//
// Metadata: "counting_model", a JSON object with "smoothing" and "ngrams", the
// numbers of n-grams of each order; and "checksums".

#ifndef FIRTH_LM_NGRAM_NGRAM_FILE_H_
#define FIRTH_LM_NGRAM_NGRAM_FILE_H_

#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "firth/vocabulary.h"
#include "lm/ngram/ngram_trie.h"

namespace firth {

// Names of smoothings in files, in the order of CountSmoothing.
constexpr absl::string_view kCountSmoothingNames[] = {"kneser-ney", "add-k",
                                                      "stupid-backoff"};
// Name of the smoothing of an ARPA file, which does not contain it.
inline constexpr char kArpaSmoothing[] = "arpa";

struct NgramModelData {
  Vocabulary words;  // begins with kMarks
  NgramTrie trie;
  std::string smoothing;
  std::map<std::string, std::string> metadata;
};

// Writes the file, whole or not at all.
absl::Status SaveNgramModel(const NgramModelData& model,
                            const std::string& path);

// Returns nothing for a file of another kind. Errors: DataLoss, a file that is
// truncated or altered, or whose arrays are not a trie.
absl::StatusOr<std::optional<NgramModelData>> LoadNgramModel(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_LM_NGRAM_NGRAM_FILE_H_
