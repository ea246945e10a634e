#include "tag/casing.h"

#include "base/unicode.h"

namespace firth {

Casing CasingOf(absl::string_view token) {
  size_t letters = 0, capitals = 0;
  bool digit = false, initial = false;
  for (size_t i = 0; i < token.size();) {
    const CodePoint point = DecodeUtf8(token.substr(i));
    i += point.bytes;
    if (point.value < 0) continue;
    digit |= IsDigit(point.value);
    if (!IsLetter(point.value)) continue;
    const bool capital = LowercaseCodePoint(point.value) != point.value;
    if (letters == 0) initial = capital;
    ++letters;
    capitals += capital ? 1 : 0;
  }
  if (letters == 0) return digit ? Casing::kNumber : Casing::kNoLetter;
  if (digit) return Casing::kWithDigit;
  if (capitals == 0) return Casing::kLower;
  if (initial && capitals == 1) return Casing::kInitial;
  return capitals == letters ? Casing::kCapitals : Casing::kMixed;
}

}  // namespace firth
