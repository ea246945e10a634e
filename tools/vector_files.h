// What the commands that read or write vector files share.

#ifndef FIRTH_TOOLS_VECTOR_FILES_H_
#define FIRTH_TOOLS_VECTOR_FILES_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/query.h"
#include "firth/vector_io.h"
#include "option_set.h"

namespace firth::tools {

// An option whose value is the name of a vector format.
void DeclareFormat(OptionSet* options, absl::string_view name,
                   std::string* target, absl::string_view help);

// The vectors of a file of any format, as floats.
absl::StatusOr<WordVectors> LoadVectors(const std::string& path);
// The same in the form that the file has, to be asked.
absl::StatusOr<WordVectors> LoadVectorsToAsk(const std::string& path);

// --lossy: whether what the target format cannot hold may be left out.
void DeclareLossy(OptionSet* options, bool* target);
// Says what `format` cannot hold of what `path` has, which is in `file`; an
// error if there is something and `lossy` is not set.
absl::Status CheckLoss(const VectorFile& file, const std::string& path,
                       const std::string& format, bool lossy);

// Tells the user what was written.
void SayWritten(const VectorFile& file, const std::string& path,
                const std::string& format);

// --oov: what becomes of words that are not in the vocabulary.
void DeclareUnknownWords(OptionSet* options, UnknownWords* target);

// The word's id. Errors: NotFound, with the closest spellings.
absl::StatusOr<WordId> FindWord(const Vocabulary& vocabulary,
                                absl::string_view word);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_VECTOR_FILES_H_
