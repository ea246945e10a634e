// Functions for commands that read or write vector files.

#ifndef FIRTH_TOOLS_CLI_VECTOR_FILES_H_
#define FIRTH_TOOLS_CLI_VECTOR_FILES_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/option_set.h"
#include "firth/query.h"
#include "firth/vector_io.h"

namespace firth::tools {

// Declares an option whose value is the name of a vector format.
void DeclareFormat(OptionSet* options, absl::string_view name,
                   std::string* target, absl::string_view help);

// Describes the use of a vector file that is written in *format, which Check()
// sets.
FileUse WritesVectors(const std::string* format);

// Calls LoadVectorFile() and prints its warnings.
absl::StatusOr<VectorFile> LoadAndWarn(const std::string& path,
                                       LoadOptions options = {});

// Loads the vectors of a file of any format, as floats.
absl::StatusOr<WordVectors> LoadVectors(const std::string& path);
// Loads vectors for questions, in the form of the file (not as floats).
absl::StatusOr<WordVectors> LoadVectorsToAsk(const std::string& path);
// Returns the format of new vectors of texts, by the name of the file. Errors:
// InvalidArgument, a format that holds only n-grams.
absl::StatusOr<std::string> ChooseTextFormat(const std::string& path);

// Returns whether the file is a model of documents, whose words are tags.
bool HoldsDocuments(const std::string& path);
// Loads vectors to encode texts, in the form of the file. Prints a warning if
// the file HoldsDocuments().
absl::StatusOr<WordVectors> LoadVectorsOfTexts(const std::string& path);
// Loads vectors for questions about a few words. The vectors of other words are
// not read, and values need not be finite. Errors: those of LoadVectorFile(),
// including a word that appears twice.
absl::StatusOr<WordVectors> LoadVectorsOfWords(const std::string& path);

// Returns the parts of `file` that the format cannot hold, such as "counts,
// metadata". Errors: InvalidArgument, an unknown format.
absl::StatusOr<std::string> NamesOfLost(const VectorFile& file,
                                        const std::string& format);

// Returns the size of a file of that format with these vectors, such as "16
// words of 8 dimensions".
std::string SizeOfWritten(const WordVectors& vectors, absl::string_view format);

// Declares --lossy, which drops words that the target format cannot hold.
void DeclareLossy(OptionSet* options, bool* target);

// Conversion of a vector file to another one.
struct Rewriting {
  std::string in;
  std::string out;
  std::string format;  // Format of `out`.
  bool lossy = false;
};

// Reads a file, applies `change` to its content, writes the result and prints a
// message. Errors: those of reading, of `change` and of writing; Unimplemented,
// the format cannot hold all words and n-grams and `lossy` is not set.
absl::Status Rewrite(const Rewriting& files, const LoadOptions& load,
                     absl::FunctionRef<absl::Status(VectorFile*)> change);

// Checks that all words of `file` can be written or `files.lossy` is set. Call
// it before long computations. Errors: Unimplemented.
absl::Status CheckNoWordIsLost(const Rewriting& files, const VectorFile& file);

// Calls CheckWords() for the words of `vectors`.
absl::Status CheckWordsOf(const WordVectors& vectors, const std::string& path,
                          absl::string_view format);

// Returns the id of a word. Errors: NotFound, with the closest spellings.
absl::StatusOr<WordId> FindWord(const Vocabulary& vocabulary,
                                absl::string_view word);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_VECTOR_FILES_H_
