// The files of counting models. A .safetensors is mapped, with the arrays
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
//
// ARPA files: counting models as text, which other programs read and write.
//
//   "\data\"
//   ngram 1=4
//   ngram 2=3
//
//   \1-grams:
//   -1.2041	<unk>
//   0	<s>	-0.30103
//   -0.6021	</s>
//   -0.6021	cat	-0.1761
//
//   \2-grams:
//   -0.3010	<s> cat
//   ...
//   "\end\"
//
// (without the quotes). A line has log10 p of the last word after the others,
// the words, and log10 of the backoff weight. The weight may be absent if
// nothing begins with these words. Fields are separated by spaces and tabs.

#ifndef FIRTH_LM_NGRAM_NGRAM_FILE_H_
#define FIRTH_LM_NGRAM_NGRAM_FILE_H_

#include <array>
#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "firth/progress.h"
#include "firth/vocabulary.h"
#include "lm/model/language_model_options.h"
#include "lm/ngram/ngram_trie.h"

namespace firth {

// Names of smoothings in files, in the order of CountSmoothing.
constexpr absl::string_view kCountSmoothingNames[] = {"kneser-ney", "add-k",
                                                      "stupid-backoff"};
// Name of the smoothing of an ARPA file, which does not contain it.
inline constexpr char kArpaSmoothing[] = "arpa";

// The names of kMarks in ARPA files.
constexpr std::array<absl::string_view, kMarks.size()> kArpaMarks = {
    "<s>", "</s>", "<unk>"};

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

// Returns whether the file, which may be compressed, begins like an ARPA file.
// Errors: DataLoss, damaged compression.
absl::StatusOr<bool> IsArpa(const MappedFile& file);

// Reads a file, which may be compressed. A file without <unk> gets it with
// log10 p = -100. Errors: InvalidArgument, with the line; DataLoss, damaged
// compression; ResourceExhausted, too many n-grams.
absl::StatusOr<NgramModelData> ReadArpa(const MappedFilePtr& file);

// Writes the file, whole or not at all. Errors: InvalidArgument, a word that
// contains white space, or probabilities that backoff weights cannot express;
// Cancelled.
absl::Status WriteArpa(const NgramModelData& model, const std::string& path,
                       const Hooks& hooks);

}  // namespace firth

#endif  // FIRTH_LM_NGRAM_NGRAM_FILE_H_
