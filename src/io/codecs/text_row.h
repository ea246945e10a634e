// One line of a text file of vectors: a word, then its values.
//
// Values are taken from the right, since words may hold spaces (GloVe 840B has
// ". . ." and "at name@domain.com"). Fields are separated by any number of
// spaces and tabs, which may also be at the start of the line and at its end,
// there with a carriage return.
//
// A word that ends in a number, as "Boeing 747", is followed by a tab, which is
// then the only one of the line: it separates the word from its values.

#ifndef FIRTH_IO_CODECS_TEXT_ROW_H_
#define FIRTH_IO_CODECS_TEXT_ROW_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth {

// Reads the decimal number (or "nan", "inf") at `begin`, rounded to nearest;
// what is too small becomes 0, what is too large infinite. Returns its end, or
// null if there is none. Independent of the locale.
const char* ParseFloat(const char* begin, const char* end, float* value);

// Counts the fields at the end of `line` that are numbers: the number of values
// if the line is a row. The first field of the line is the word and not counted
// unless a space or tab comes before it, which leaves the word empty.
size_t CountValues(absl::string_view line);

// The way out for a line whose last field is no number, by the kind of text
// that it shows: sparse, with decimal commas, or separated by commas. Empty for
// any other; otherwise begins with "; ".
absl::string_view WayOutOfNoNumber(absl::string_view line);

// The kinds of lines after the header.
enum class TextLine {
  kRow,     // or a malformed one
  kBlank,   // nothing but white space
  kNoWord,  // `dim` values after a word that is empty or white space
};
TextLine ClassifyLine(absl::string_view line, size_t dim);

// Reads `dim` values (more than 0) into `values` and returns the word, a part
// of `line`. A word that ends in a field that is a number, such as "room 5",
// is taken for a row of too many values, unless the only tab of the line is
// between the word and its values. Errors: InvalidArgument, what was expected
// and found, without the place.
absl::StatusOr<absl::string_view> ParseTextRow(absl::string_view line,
                                               size_t dim, float* values);

}  // namespace firth

#endif  // FIRTH_IO_CODECS_TEXT_ROW_H_
