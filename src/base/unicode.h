// The little of Unicode that a trainer needs, over utf8proc.

#ifndef FIRTH_BASE_UNICODE_H_
#define FIRTH_BASE_UNICODE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace firth {

// One step of decoding.
struct CodePoint {
  int32_t value;  // -1: the bytes are not valid UTF-8
  size_t bytes;  // length, at least 1; of an invalid part, what U+FFFD replaces
};

// Decodes the start of `text`, which is not empty. An invalid part is maximal
// in the sense of the Unicode standard, section 3.9 (as all browsers replace
// it).
CodePoint DecodeUtf8(absl::string_view text);

// U+FEFF in UTF-8, which some programs write at the start of a file.
constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";
// The text of a file without the byte order mark that it may start with.
absl::string_view WithoutByteOrderMark(absl::string_view text);

// Length of the white space that `text` starts with: a code point of property
// White_Space, else 0.
size_t WhiteSpaceBytes(absl::string_view text);
// The position of the first white space of `text`; text.size() if it has none.
size_t FindWhiteSpace(absl::string_view text);

// Whether `text` has nothing but white space.
bool IsBlank(absl::string_view text);

// The first invalid part of `text`, or npos.
size_t FindInvalidUtf8(absl::string_view text);

// Appends `text` with every invalid part as U+FFFD; returns how many there
// were.
size_t AppendReplacingInvalid(absl::string_view text, std::string* out);

// By the simple mapping of the Unicode Character Database.
int32_t LowercaseCodePoint(int32_t point);

// Appends `text` in lower case, code point by code point; invalid bytes stay as
// they are.
void AppendLowercase(absl::string_view text, std::string* out);
std::string Lowercase(absl::string_view text);
// Whether that changes `text`.
bool HasCapitals(absl::string_view text);

// Of the general categories L (a letter of any script), Nd (a decimal digit), N
// (any number), P (punctuation), M (any mark), Mn (a mark that takes no place,
// such as an accent), Zs (a space) and C (control characters, format
// characters, and what no character is assigned to).
bool IsLetter(int32_t point);
bool IsDigit(int32_t point);
bool IsNumber(int32_t point);
bool IsPunctuation(int32_t point);
bool IsMark(int32_t point);
bool IsNonspacingMark(int32_t point);
bool IsSpaceSeparator(int32_t point);
bool IsControlOrUnassigned(int32_t point);

// Whether \w of Unicode's regular expressions (UTS 18, annex C) matches the
// code point: letters, marks, digits, connectors such as _, and joiners.
bool IsWordCharacter(int32_t point);

// The code points of `text`, which is valid UTF-8, with every character taken
// apart into its letter and its marks (the normalization form NFD).
std::vector<int32_t> Decompose(absl::string_view text);

// Appends the code point in UTF-8.
void AppendUtf8(int32_t code_point, std::string* out);

}  // namespace firth

#endif  // FIRTH_BASE_UNICODE_H_
