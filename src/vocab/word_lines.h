// The lines of a vocabulary file: a word, then white space and its count, or no
// counts at all, like word2vec's -save-vocab. The count is the last field, so a
// word may contain anything except white space. A byte order mark at the start
// of the file is skipped.

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

// Entry i is from line i + 1.
struct WordLines {
  std::vector<absl::string_view> words;  // In the memory of the file.
  std::vector<uint64_t> counts;          // [words], or empty.
};

// Accepts duplicate words; the caller decides what to do with them. Errors:
// InvalidArgument with file and line.
absl::StatusOr<WordLines> ParseWordLines(const MappedFile& file);

// Returns whether a line can contain the word: it is not empty and has no white
// space.
bool IsWordOfLine(absl::string_view word);

// Writes "word count" lines, or only the words if all counts are 0. Errors:
// those of CheckVocabularyWords(), before anything is written, and of `out`.
absl::Status WriteWordLines(const Vocabulary& vocabulary,
                            const std::string& path, OutputFile& out);

}  // namespace firth

#endif  // FIRTH_VOCAB_WORD_LINES_H_
