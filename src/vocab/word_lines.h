// The lines of a vocabulary file: a word each, then white space and its count,
// or no counts at all, as word2vec's -save-vocab writes them. The count is the
// last field, so a word may hold anything but white space. A byte order mark at
// the start of the file belongs to no word.

#ifndef FIRTH_VOCAB_WORD_LINES_H_
#define FIRTH_VOCAB_WORD_LINES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "firth/vocabulary.h"

namespace firth {

// Entry i stands in line i + 1.
struct WordLines {
  std::vector<absl::string_view> words;  // in the memory of the file
  std::vector<uint64_t> counts;          // [words] or empty
};

// Words may stand twice here: the caller decides about that. Errors:
// InvalidArgument with file and line.
absl::StatusOr<WordLines> ParseWordLines(const MappedFile& file);

// Whether a line can hold the word: it is not empty and has no white space.
bool IsWordOfLine(absl::string_view word);

// Writes "word count" lines, or the words alone where all counts are 0. Errors:
// those of CheckVocabularyWords(), before anything is written, and of `out`.
absl::Status WriteWordLines(const Vocabulary& vocabulary,
                            const std::string& path, OutputFile& out);

}  // namespace firth

#endif  // FIRTH_VOCAB_WORD_LINES_H_
