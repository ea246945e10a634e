// The few Unicode functions that a trainer needs, based on utf8proc.

#ifndef FIRTH_BASE_UNICODE_H_
#define FIRTH_BASE_UNICODE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace firth {

// The result of decoding one code point.
struct CodePoint {
  int32_t value;  // -1 if the bytes are not valid UTF-8.
  // Length, at least 1. For invalid bytes, the length of the part that U+FFFD
  // replaces.
  size_t bytes;
};

// Decodes the start of `text`, which must not be empty. An invalid part is
// maximal in the sense of the Unicode standard, section 3.9 (all browsers
// replace the same parts).
CodePoint DecodeUtf8(absl::string_view text);

// U+FEFF in UTF-8, which some programs write at the start of a file.
constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";
// Returns the text of a file without its byte order mark, if it has one.
absl::string_view WithoutByteOrderMark(absl::string_view text);

// Returns the length of the white space at the start of `text`, one code point
// with the property White_Space, or 0 if there is none.
size_t WhiteSpaceBytes(absl::string_view text);
// Returns the position of the first white space in `text`, or text.size().
size_t FindWhiteSpace(absl::string_view text);

// Returns whether `text` contains only white space.
bool IsBlank(absl::string_view text);

// Returns the position of the first invalid part of `text`, or npos.
size_t FindInvalidUtf8(absl::string_view text);

// Appends `text` with every invalid part replaced by U+FFFD. Returns the number
// of these.
size_t AppendReplacingInvalid(absl::string_view text, std::string* out);

// Uses the simple mapping of the Unicode Character Database.
int32_t LowercaseCodePoint(int32_t point);

// Appends `text` in lower case, code point by code point. Invalid bytes are
// copied unchanged.
void AppendLowercase(absl::string_view text, std::string* out);
std::string Lowercase(absl::string_view text);
// Returns whether Lowercase() changes `text`.
bool HasCapitals(absl::string_view text);

// Return whether a code point has a general category: L (a letter of any
// script), Nd (a decimal digit), N (any number), P (punctuation), M (any mark),
// Mn (a mark without width, such as an accent), Zs (a space), or C (control and
// format characters and unassigned code points).
bool IsLetter(int32_t point);
bool IsDigit(int32_t point);
bool IsNumber(int32_t point);
bool IsPunctuation(int32_t point);
bool IsMark(int32_t point);
bool IsNonspacingMark(int32_t point);
bool IsSpaceSeparator(int32_t point);
bool IsControlOrUnassigned(int32_t point);

// Returns whether \w of Unicode's regular expressions (UTS 18, annex C) matches
// the code point: letters, marks, digits, connectors such as _, and joiners.
bool IsWordCharacter(int32_t point);

// Returns the code points of `text`, which must be valid UTF-8, with every
// character decomposed into its letter and its marks (normalization form NFD).
// If `compatibly`, compatibility characters are replaced, too (form NFKD).
std::vector<int32_t> Decompose(absl::string_view text, bool compatibly = false);

// Returns the length of the first character as a reader sees it, with its marks
// and joined emoji (an extended grapheme cluster). The text must be valid UTF-8
// and not empty.
size_t GraphemeBytes(absl::string_view text);

// Appends the code point in UTF-8.
void AppendUtf8(int32_t code_point, std::string* out);

}  // namespace firth

#endif  // FIRTH_BASE_UNICODE_H_
