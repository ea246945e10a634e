// One line of a text file of vectors: a word, then its values.
//
// Values are read from the right, since words may contain spaces (GloVe 840B
// has ". . ." and "at name@domain.com"). Fields are separated by any number of
// spaces and tabs, which may also occur at the start and at the end of the
// line; at the end, a carriage return is allowed too.
//
// A word that ends in a number, such as "Boeing 747", is followed by a tab,
// which must be the only one in the line. It separates the word from its
// values.

#ifndef FIRTH_IO_CODECS_TEXT_ROW_H_
#define FIRTH_IO_CODECS_TEXT_ROW_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth {

// Parses the decimal number (or "nan", "inf") at `begin`, rounded to nearest.
// Numbers that are too small become 0, and numbers that are too large become
// infinite. Returns the end of the number, or null if there is none. Does not
// depend on the locale.
const char* ParseFloat(const char* begin, const char* end, float* value);

// Counts the fields at the end of `line` that are numbers. This is the number
// of values if the line is a row. The first field is the word and is not
// counted, unless a space or tab precedes it, which makes the word empty.
size_t CountValues(absl::string_view line);

// Returns a remedy for a line whose last field is not a number, depending on
// the kind of text: sparse, with decimal commas, or separated by commas. It
// begins with "; ". Returns "" for any other text.
absl::string_view WayOutOfNoNumber(absl::string_view line);

// The kinds of lines after the header.
enum class TextLine {
  kRow,     // A row, which may be malformed.
  kBlank,   // Only white space.
  kNoWord,  // `dim` values after a word that is empty or white space.
};
TextLine ClassifyLine(absl::string_view line, size_t dim);

// Reads `dim` values (more than 0) into `values` and returns the word, a part
// of `line`. A word whose last field is a number, such as "room 5", is mistaken
// for an additional value, unless the only tab of the line is between the word
// and its values. Errors: InvalidArgument, with what was expected and found,
// without the place.
absl::StatusOr<absl::string_view> ParseTextRow(absl::string_view line,
                                               size_t dim, float* values);

}  // namespace firth

#endif  // FIRTH_IO_CODECS_TEXT_ROW_H_
