// The words beside a table that has no place for them: one a line, as in the
// files of SaveVocabulary(), each with its count or none.

#ifndef FIRTH_IO_WORD_LINES_H_
#define FIRTH_IO_WORD_LINES_H_

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

struct WordLines {
  std::vector<absl::string_view> words;  // in the memory of the file
  std::vector<uint64_t> counts;          // [words] or empty
};

// Words may stand twice here: the caller decides about that. Errors:
// InvalidArgument with file and line.
absl::StatusOr<WordLines> ParseWordLines(const MappedFile& file);

// Writes "word count" lines, or the words alone where all counts are 0. Errors:
// InvalidArgument for a word with white space, and those of `out`.
absl::Status WriteWordLines(const Vocabulary& vocabulary,
                            const std::string& path, OutputFile& out);

}  // namespace firth

#endif  // FIRTH_IO_WORD_LINES_H_
