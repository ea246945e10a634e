// Columns of facts about words, such as parts of speech, read from a file and
// shown as colors on a map.

#ifndef FIRTH_TOOLS_SERVE_WORD_LABELS_H_
#define FIRTH_TOOLS_SERVE_WORD_LABELS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace firth::tools {

// One fact per word: a category, or a number.
struct LabelColumn {
  std::string name;
  // Categories in the order of the file; empty if the facts are numbers.
  std::vector<std::string> categories;
  // Index of a category, or a number; NaN if the word has no value.
  std::vector<float> values;

  bool is_number() const { return categories.empty(); }
};

// A file of labels: lines of a word and values, separated by tabs. The first
// line has the names of the columns. A column is a number if all of its values
// are finite numbers, and a category otherwise. A value is missing if it is
// empty or one of the usual marks: NA, N/A, NaN, null, none, "-" or "?", in any
// case.
struct WordLabels {
  std::vector<std::string> words;
  std::vector<LabelColumn> columns;
  // Notices about columns that are probably not what their author expects.
  std::vector<std::string> notices = {};
};

// Parses the text of such a file; `path` is used in errors. Errors:
// InvalidArgument, with the number of the line: no column, a line with another
// number of columns, text that is not UTF-8, a repeated word or column, too
// many columns or categories, a value that is too long, or no value at all. If
// `repeated` is given, only the first line of a word counts, and it is set to
// the number of the others.
absl::StatusOr<WordLabels> ParseWordLabels(absl::string_view text,
                                           const std::string& path,
                                           uint64_t* repeated = nullptr);
// Reads such a file, and prints the notices.
absl::StatusOr<WordLabels> ReadWordLabels(const std::string& path);

// Returns the columns for these words, in their order. Sets `*found` to the
// number of words that the file has.
std::vector<LabelColumn> LabelsOf(const WordLabels& labels,
                                  absl::Span<const std::string> words,
                                  size_t* found);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_WORD_LABELS_H_
