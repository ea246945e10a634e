#include "io/text_row.h"
#include "base/quote.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/charconv.h"
#include "absl/strings/str_cat.h"
#include "io/vector_rows.h"

namespace firth {
namespace {

bool IsSeparator(char c) { return c == ' ' || c == '\t'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

absl::string_view TrimEnd(absl::string_view line) {
  while (!line.empty() && (IsSeparator(line.back()) || line.back() == '\r')) {
    line.remove_suffix(1);
  }
  return line;
}

// Takes the last field, and the separators before it, off the line.
absl::string_view TakeLastField(absl::string_view* line) {
  size_t begin = line->size();
  while (begin > 0 && !IsSeparator((*line)[begin - 1])) --begin;
  const absl::string_view field = line->substr(begin);
  *line = line->substr(0, begin);
  while (!line->empty() && IsSeparator(line->back())) line->remove_suffix(1);
  return field;
}

bool ParseWhole(absl::string_view field, float* value) {
  const char* end = field.data() + field.size();
  return !field.empty() && ParseFloat(field.data(), end, value) == end;
}

// Plain decimals such as "-0.1234567", which is what files hold: the digits as
// an integer, divided by a power of ten. Both are exact doubles and the
// division rounds once; rounding the quotient to float is right too unless it
// lies in the middle between two floats. Then, and for everything else (more
// digits, exponents), returns null. Twice as fast as std::from_chars.
const char* ParsePlainDecimal(const char* begin, const char* end,
                              float* value) {
  static constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3, 1e4,  1e5,
                                            1e6,  1e7,  1e8,  1e9, 1e10, 1e11,
                                            1e12, 1e13, 1e14, 1e15};
  constexpr int kMostDigits = 15;  // below 2^53
  const char* at = begin;
  const bool negative = at != end && *at == '-';
  if (negative) ++at;
  uint64_t digits = 0;
  const char* const integer = at;
  for (; at != end && IsDigit(*at); ++at) digits = digits * 10 + (*at - '0');
  int64_t length = at - integer;
  int64_t decimals = 0;
  if (at != end && *at == '.') {
    const char* const fraction = ++at;
    for (; at != end && IsDigit(*at); ++at) digits = digits * 10 + (*at - '0');
    decimals = at - fraction;
  }
  length += decimals;
  const bool goes_on = at != end && !IsSeparator(*at) && *at != '\r';
  if (length == 0 || length > kMostDigits || goes_on) return nullptr;
  const double exact =
      static_cast<double>(digits) / kPowersOfTen[static_cast<size_t>(decimals)];
  constexpr uint64_t kDropped = (uint64_t{1} << 29) - 1;  // bits, to float
  constexpr uint64_t kMiddle = uint64_t{1} << 28;
  if ((std::bit_cast<uint64_t>(exact) & kDropped) == kMiddle) return nullptr;
  *value = static_cast<float>(negative ? -exact : exact);
  return at;
}

// The general case, for one line in millions.
absl::StatusOr<absl::string_view> ParseFromRight(absl::string_view line,
                                                 size_t dim, float* values) {
  absl::string_view rest = line;
  for (size_t i = dim; i > 0; --i) {
    const absl::string_view field = TakeLastField(&rest);
    if (rest.empty()) {  // `field` would be the word
      return absl::InvalidArgumentError(absl::StrCat(
          "expected ", dim, " values after the word, found ", dim - i));
    }
    if (!ParseWhole(field, &values[i - 1])) {
      const size_t numbers = dim - i;
      return absl::InvalidArgumentError(absl::StrCat(
          "expected ", dim, " values, found ", numbers, " and before them ",
          Quote(field), ", which is no number"));
    }
  }
  const absl::string_view word = rest;
  float extra;
  const absl::string_view last = TakeLastField(&rest);
  if (!rest.empty() && ParseWhole(last, &extra)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", dim, " values, found ", CountValues(line)));
  }
  return word;
}

}  // namespace

const char* ParseFloat(const char* begin, const char* end, float* value) {
  if (const char* after = ParsePlainDecimal(begin, end, value)) return after;
  if (begin != end && *begin == '+') ++begin;
  const auto result = std::from_chars(begin, end, *value);
  if (result.ec == std::errc()) return result.ptr;
  if (result.ec != std::errc::result_out_of_range) return nullptr;
  // std::from_chars leaves the value alone; this one gives 0 or the largest.
  const char* const after = absl::from_chars(begin, end, *value).ptr;
  if (std::abs(*value) > 1) *value *= 2;
  return after;
}

size_t CountValues(absl::string_view line) {
  line = TrimEnd(line);
  size_t count = 0;
  float value;
  while (ParseWhole(TakeLastField(&line), &value) && !line.empty()) ++count;
  return count;
}

absl::StatusOr<absl::string_view> ParseTextRow(absl::string_view line,
                                               size_t dim, float* values) {
  line = TrimEnd(line);
  const char* const end = line.data() + line.size();
  const char* at = line.data();
  while (at != end && !IsSeparator(*at)) ++at;
  const absl::string_view word(line.data(),
                               static_cast<size_t>(at - line.data()));
  for (size_t i = 0; i < dim; ++i) {
    while (at != end && IsSeparator(*at)) ++at;
    at = ParseFloat(at, end, &values[i]);
    if (at == nullptr) return ParseFromRight(line, dim, values);
    if (at != end && !IsSeparator(*at)) {
      return ParseFromRight(line, dim, values);
    }
  }
  if (word.empty() || at != end) return ParseFromRight(line, dim, values);
  return word;
}

}  // namespace firth
