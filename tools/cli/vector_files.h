// What the commands that read or write vector files share.

#ifndef FIRTH_TOOLS_CLI_VECTOR_FILES_H_
#define FIRTH_TOOLS_CLI_VECTOR_FILES_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/option_set.h"
#include "firth/query.h"
#include "firth/vector_io.h"

namespace firth::tools {

// An option whose value is the name of a vector format.
void DeclareFormat(OptionSet* options, absl::string_view name,
                   std::string* target, absl::string_view help);

// A vector file is written, in *format, which Check() has set.
FileUse WritesVectors(const std::string* format);

// LoadVectorFile(), whose warnings are printed.
absl::StatusOr<VectorFile> LoadAndWarn(const std::string& path,
                                       LoadOptions options = {});

// The vectors of a file of any format, as floats.
absl::StatusOr<WordVectors> LoadVectors(const std::string& path);
// The same in the form that the file has, to be asked.
absl::StatusOr<WordVectors> LoadVectorsToAsk(const std::string& path);
// The same for questions that look at the vectors of a few words alone: the
// others are not read, and whether the values are finite is not checked.
// Errors: those of LoadVectorFile(), also for a word that appears twice.
absl::StatusOr<WordVectors> LoadVectorsOfWords(const std::string& path);

// The parts of `file` that the format cannot hold, as "counts, metadata".
// Errors: InvalidArgument, an unknown format.
absl::StatusOr<std::string> NamesOfLost(const VectorFile& file,
                                        const std::string& format);

// What a file of that format has of such vectors, as "16 words of 8
// dimensions".
std::string SizeOfWritten(const WordVectors& vectors, absl::string_view format);

// --lossy: whether what the target format cannot hold may be left out.
void DeclareLossy(OptionSet* options, bool* target);
// A vector file that is made of another one.
struct Rewriting {
  std::string in;
  std::string out;
  std::string format;  // of `out`
  bool lossy = false;
};

// Reads a file, lets `change` work on what it holds, writes it and tells the
// user so. Errors: of reading, of `change`, of writing; Unimplemented, the
// format cannot hold all words and n-grams and `lossy` is not set.
absl::Status Rewrite(const Rewriting& files, const LoadOptions& load,
                     absl::FunctionRef<absl::Status(VectorFile*)> change);

// Whether all words of `file` can be written or `files.lossy` is set; to be
// asked before hours of work. Errors: Unimplemented.
absl::Status CheckNoWordIsLost(const Rewriting& files, const VectorFile& file);

// CheckWords() for the words of `vectors`.
absl::Status CheckWordsOf(const WordVectors& vectors, const std::string& path,
                          absl::string_view format);

// The word's id. Errors: NotFound, with the closest spellings.
absl::StatusOr<WordId> FindWord(const Vocabulary& vocabulary,
                                absl::string_view word);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_VECTOR_FILES_H_
