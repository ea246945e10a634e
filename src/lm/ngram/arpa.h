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

#ifndef FIRTH_LM_NGRAM_ARPA_H_
#define FIRTH_LM_NGRAM_ARPA_H_

#include <array>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "lm/model/language_model_options.h"
#include "lm/ngram/ngram_file.h"

namespace firth {

// The names of kMarks in ARPA files.
constexpr std::array<absl::string_view, kMarks.size()> kArpaMarks = {
    "<s>", "</s>", "<unk>"};

// Returns whether the file, which may be compressed, begins like an ARPA file.
// Errors: DataLoss, damaged compression.
absl::StatusOr<bool> IsArpa(const MappedFile& file);

// Reads a file, which may be compressed. A file without <unk> gets it with
// log10 p = -100. Errors: InvalidArgument, with the line; DataLoss, damaged
// compression; ResourceExhausted, too many n-grams.
absl::StatusOr<NgramModelData> ReadArpa(const MappedFilePtr& file);

// Writes the file, whole or not at all. Errors: InvalidArgument, a word that
// contains white space, or probabilities that backoff weights cannot express.
absl::Status WriteArpa(const NgramModelData& model, const std::string& path);

}  // namespace firth

#endif  // FIRTH_LM_NGRAM_ARPA_H_
