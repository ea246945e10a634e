// UTF-8 is decoded here with the table of the Unicode standard, in which the
// first byte determines the length of a sequence and the valid range of its
// second byte. Case mapping and character classes are those of utf8proc.

#include "base/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"
#include "base/byte_marks.h"
#include "base/check.h"

namespace firth {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool IsContinuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// The valid second bytes of a sequence (Unicode standard, table 3-7), which
// exclude overlong forms, surrogates and code points above U+10FFFF.
struct Lead {
  size_t length;  // 0 if it is not a lead byte.
  unsigned char low;
  unsigned char high;
};

// Categories with the same first letter have consecutive numbers.
bool IsOfCategories(int32_t point, utf8proc_category_t first,
                    utf8proc_category_t last) {
  const utf8proc_category_t category = utf8proc_category(point);
  return category >= first && category <= last;
}

Lead ClassifyLead(unsigned char byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte >= 0xC2 && byte <= 0xDF) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte >= 0xF1 && byte <= 0xF3) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

CodePoint DecodeUtf8(absl::string_view text) {
  const auto byte = [&](size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const Lead lead = ClassifyLead(byte(0));
  if (lead.length == 0) return {-1, 1};
  if (lead.length == 1) return {byte(0), 1};
  if (text.size() < 2 || byte(1) < lead.low || byte(1) > lead.high) {
    return {-1, 1};
  }
  int32_t value = (byte(0) & (0x7F >> lead.length)) << 6 | (byte(1) & 0x3F);
  for (size_t i = 2; i < lead.length; ++i) {
    if (i >= text.size() || !IsContinuation(byte(i))) return {-1, i};
    value = value << 6 | (byte(i) & 0x3F);
  }
  return {value, lead.length};
}

absl::string_view WithoutByteOrderMark(absl::string_view text) {
  return absl::StripPrefix(text, kByteOrderMark);
}

size_t WhiteSpaceBytes(absl::string_view text) {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return absl::ascii_isspace(first) ? 1 : 0;
  // All white space beyond ASCII starts with one of these bytes.
  if (first != 0xC2 && (first < 0xE1 || first > 0xE3)) return 0;
  const CodePoint point = DecodeUtf8(text);
  switch (point.value) {
    case 0x85:
    case 0xA0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202F:
    case 0x205F:
    case 0x3000:
      return point.bytes;
    default:
      return point.value >= 0x2000 && point.value <= 0x200A ? point.bytes : 0;
  }
}

size_t FindWhiteSpace(absl::string_view text) {
  size_t at = FindMaybeSpace(text, 0);
  while (at < text.size() && WhiteSpaceBytes(text.substr(at)) == 0) {
    at = FindMaybeSpace(text, at + 1);
  }
  return at;
}

bool IsBlank(absl::string_view text) {
  while (const size_t space = WhiteSpaceBytes(text)) text.remove_prefix(space);
  return text.empty();
}

size_t FindInvalidUtf8(absl::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const CodePoint point = DecodeUtf8(text.substr(i));
    if (point.value < 0) return i;
    i += point.bytes;
  }
  return absl::string_view::npos;
}

size_t AppendReplacingInvalid(absl::string_view text, std::string* out) {
  size_t replaced = 0;
  for (size_t i = 0; i < text.size();) {
    const CodePoint point = DecodeUtf8(text.substr(i));
    const absl::string_view part =
        point.value < 0 ? kReplacement : text.substr(i, point.bytes);
    out->append(part.data(), part.size());
    replaced += point.value < 0;
    i += point.bytes;
  }
  return replaced;
}

int32_t LowercaseCodePoint(int32_t point) { return utf8proc_tolower(point); }

void AppendLowercase(absl::string_view text, std::string* out) {
  for (size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      out->push_back(absl::ascii_tolower(byte));
      ++i;
      continue;
    }
    const CodePoint point = DecodeUtf8(text.substr(i));
    if (point.value < 0) {
      out->append(text.data() + i, point.bytes);
    } else {
      AppendUtf8(LowercaseCodePoint(point.value), out);
    }
    i += point.bytes;
  }
}

std::string Lowercase(absl::string_view text) {
  std::string out;
  out.reserve(text.size());
  AppendLowercase(text, &out);
  return out;
}

bool HasCapitals(absl::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const CodePoint point = DecodeUtf8(text.substr(i));
    if (point.value >= 0 && utf8proc_tolower(point.value) != point.value) {
      return true;
    }
    i += point.bytes;
  }
  return false;
}

bool IsLetter(int32_t point) {
  return IsOfCategories(point, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LO);
}

bool IsDigit(int32_t point) {
  return utf8proc_category(point) == UTF8PROC_CATEGORY_ND;
}

bool IsNumber(int32_t point) {
  return IsOfCategories(point, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO);
}

bool IsPunctuation(int32_t point) {
  return IsOfCategories(point, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO);
}

bool IsWordCharacter(int32_t point) {
  // Letters in circles and squares are Alphabetic, but not letters.
  constexpr std::pair<int32_t, int32_t> kLetterSymbols[] = {{0x24B6, 0x24E9},
                                                            {0x1F130, 0x1F149},
                                                            {0x1F150, 0x1F169},
                                                            {0x1F170, 0x1F189}};
  const utf8proc_category_t category = utf8proc_category(point);
  return IsOfCategories(point, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_NL) ||
         category == UTF8PROC_CATEGORY_PC || point == 0x200C ||
         point == 0x200D ||
         std::any_of(std::begin(kLetterSymbols), std::end(kLetterSymbols),
                     [point](const auto& block) {
                       return point >= block.first && point <= block.second;
                     });
}

bool IsMark(int32_t point) {
  return IsOfCategories(point, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME);
}

bool IsNonspacingMark(int32_t point) {
  return utf8proc_category(point) == UTF8PROC_CATEGORY_MN;
}

bool IsSpaceSeparator(int32_t point) {
  return utf8proc_category(point) == UTF8PROC_CATEGORY_ZS;
}

bool IsControlOrUnassigned(int32_t point) {
  return utf8proc_category(point) == UTF8PROC_CATEGORY_CN ||
         IsOfCategories(point, UTF8PROC_CATEGORY_CC, UTF8PROC_CATEGORY_CO);
}

std::vector<int32_t> Decompose(absl::string_view text, bool compatibly) {
  const auto options = static_cast<utf8proc_option_t>(
      UTF8PROC_DECOMPOSE | (compatibly ? UTF8PROC_COMPAT : 0));
  // A character of n bytes has at most 2 n parts in form NFD: at most three for
  // two bytes, and at most four for more. Some have more in form NFKD.
  std::vector<int32_t> points(2 * text.size());
  const auto decompose = [&] {
    const utf8proc_ssize_t length = utf8proc_decompose(
        reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
        static_cast<utf8proc_ssize_t>(text.size()), points.data(),
        static_cast<utf8proc_ssize_t>(points.size()), options);
    FIRTH_CHECK(length >= 0);
    return static_cast<size_t>(length);
  };
  size_t length = decompose();
  if (length > points.size()) {
    points.resize(length);
    length = decompose();
  }
  points.resize(length);
  return points;
}

size_t GraphemeBytes(absl::string_view text) {
  CodePoint point = DecodeUtf8(text);
  size_t bytes = point.bytes;
  for (utf8proc_int32_t state = 0; bytes < text.size();) {
    const CodePoint next = DecodeUtf8(text.substr(bytes));
    if (utf8proc_grapheme_break_stateful(point.value, next.value, &state)) {
      break;
    }
    bytes += next.bytes;
    point = next;
  }
  return bytes;
}

void AppendUtf8(int32_t code_point, std::string* out) {
  utf8proc_uint8_t bytes[4];
  const auto length = utf8proc_encode_char(code_point, bytes);
  out->append(reinterpret_cast<const char*>(bytes),
              static_cast<size_t>(length));
}

}  // namespace firth
