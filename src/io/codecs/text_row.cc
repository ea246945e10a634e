// Nearly all values are "-d.ddd" and a space. ParseShortDecimal() reads these
// without a branch that depends on them, ParsePlainDecimal() reads all other
// decimals of up to 15 digits, and std::from_chars the rest. A line that does
// not have the expected number of values is read again from its right end, to
// find the error.

#include "io/codecs/text_row.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/charconv.h"
#include "absl/strings/str_cat.h"
#include "base/quote.h"
#include "io/codecs/vector_rows.h"

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

// Removes the last field, and the separators before it, from the line. Returns
// the field.
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

bool IsNumber(absl::string_view field) {
  float value;
  return ParseWhole(field, &value);
}

// Returns WayOutOfNoNumber() for the last field.
absl::string_view WayOut(absl::string_view field) {
  const size_t digits =
      std::min(field.find_first_not_of("0123456789"), field.size());
  if (digits > 0 && field.substr(digits, 1) == ":" &&
      IsNumber(field.substr(digits + 1))) {
    return "; sparse vectors (index:value) are not supported, so write all "
           "values of each word";
  }
  const size_t comma = field.rfind(',');
  if (comma == field.npos) return "";
  const absl::string_view after = field.substr(comma + 1);
  if (after.empty() ? !IsNumber(field.substr(0, comma)) : !IsNumber(after)) {
    return "";
  }
  return IsNumber(field.substr(0, comma))
             ? "; numbers need a decimal point and values are separated by "
               "spaces, so replace the commas"
             : "; values are separated by spaces, so replace the commas";
}

constexpr std::array<uint64_t, 16> PowersOfTen() {
  std::array<uint64_t, 16> powers = {1};
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = 10 * powers[i - 1];
  return powers;
}

constexpr std::array<uint64_t, 16> kPowersOfTen = PowersOfTen();

uint64_t Load8(const char* at) {
  uint64_t bytes;
  std::memcpy(&bytes, at, sizeof(bytes));
  return bytes;
}

// `digits` has the values 0 to 9 in bytes that are digits. Returns the 0x80
// bits of the other bytes.
uint64_t OtherBytes(uint64_t digits) {
  return (digits | (digits + 0x7676767676767676)) & 0x8080808080808080;
}

// Returns the number with these 8 digits, 0 to 9 each, the first in the low
// byte.
uint64_t JoinDigits(uint64_t digits) {
  // Pairs of digits, in bytes 0, 2, 4 and 6.
  digits = digits * 10 + (digits >> 8);
  const uint64_t pairs_0_and_2 = digits & 0x000000ff000000ff;
  const uint64_t pairs_1_and_3 = (digits >> 16) & 0x000000ff000000ff;
  return (pairs_0_and_2 * (100 + (uint64_t{1000000} << 32)) +
          pairs_1_and_3 * (1 + (uint64_t{10000} << 32))) >>
         32;
}

// Returns the number with the 4 digits in the low half.
uint64_t JoinFourDigits(uint64_t digits) {
  digits = digits * 10 + (digits >> 8);
  return (digits & 0xff) * 100 + ((digits >> 16) & 0xff);
}

constexpr uint64_t kEightZeros = 0x3030303030303030;

// Appends the digits at `at`, up to 8 of them, to the number `digits`, with a
// few operations on all 8 bytes at once. The end of a loop over digits would be
// mispredicted for every value. Returns the number of digits. Reads 8 bytes.
size_t AppendUpTo8Digits(const char* at, uint64_t* digits) {
  const uint64_t bytes = Load8(at) ^ kEightZeros;
  const auto count =
      static_cast<size_t>(std::countr_zero(OtherBytes(bytes))) / 8;
  if (count == 0) return 0;
  // Puts zeros before the digits; the first byte is the low one.
  *digits =
      *digits * kPowersOfTen[count] + JoinDigits(bytes << 8 * (8 - count));
  return count;
}

// Appends all digits at `at` to the number `digits` (modulo 2^64) and returns
// their end.
const char* AppendDigits(const char* at, const char* end, uint64_t* digits) {
  while (end - at >= 8) {
    const size_t count = AppendUpTo8Digits(at, digits);
    at += count;
    if (count < 8) return at;
  }
  for (; at != end && IsDigit(*at); ++at) *digits = *digits * 10 + (*at - '0');
  return at;
}

// Divides exact doubles, which rounds once. Rounding the quotient to float is
// correct unless it lies in the middle between two floats; in that case,
// returns false.
bool DivideByPowerOfTen(uint64_t digits, size_t decimals, bool negative,
                        float* value) {
  // Converting from int64_t takes one instruction less, twice.
  const double exact =
      static_cast<double>(static_cast<int64_t>(digits)) /
      static_cast<double>(static_cast<int64_t>(kPowersOfTen[decimals]));
  // Signs are almost random, so a branch would often be mispredicted.
  *value =
      std::bit_cast<float>(std::bit_cast<uint32_t>(static_cast<float>(exact)) ^
                           static_cast<uint32_t>(negative) << 31);
  // Bits lost in the conversion to float.
  constexpr uint64_t kDropped = (uint64_t{1} << 29) - 1;
  constexpr uint64_t kMiddle = uint64_t{1} << 28;
  return (std::bit_cast<uint64_t>(exact) & kDropped) != kMiddle;
}

// Parses plain decimals such as "-0.1234567", which is what files contain, as
// an integer of the digits divided by a power of ten. Returns null for
// everything else (more digits, exponents). Twice as fast as std::from_chars.
const char* ParsePlainDecimal(const char* begin, const char* end,
                              float* value) {
  constexpr int kMostDigits = 15;  // The largest number is below 2^53.
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
    at = AppendDigits(fraction, end, &digits);
    decimals = at - fraction;
  }
  length += decimals;
  const bool goes_on = at != end && !IsSeparator(*at) && *at != '\r';
  if (length == 0 || length > kMostDigits || goes_on) return nullptr;
  return DivideByPowerOfTen(digits, static_cast<size_t>(decimals), negative,
                            value)
             ? at
             : nullptr;
}

// Returns the position of the first space among 16 bytes, or 16.
size_t FindSpace(const char* at) {
  const auto space_bits = [](uint64_t bytes) {
    bytes ^= 0x2020202020202020;
    return (bytes - 0x0101010101010101) & ~bytes & 0x8080808080808080;
  };
  const auto byte_of = [](uint64_t bits) {  // Returns 8 if there is none.
    return static_cast<size_t>(std::countr_zero(bits)) / 8;
  };
  const size_t low = byte_of(space_bits(Load8(at)));
  const size_t high = byte_of(space_bits(Load8(at + 8)));
  return low + (low / 8) * high;  // Avoids a branch.
}

// Parses the form of nearly all values in nearly all files: "-d.ddd" and a
// space, with 1 to 12 digits after the point. No branch depends on the number
// of digits or the sign, and the end is known before the value, so the
// processor works on several values at once. This is three times as fast as
// ParsePlainDecimal. Returns the position of the space, or null. Reads
// kShortDecimalReach bytes.
constexpr size_t kShortDecimalReach = 19;
const char* ParseShortDecimal(const char* at, float* value) {
  constexpr size_t kMostDecimals = 12;
  const size_t length = FindSpace(at);
  const size_t sign = *at == '-' ? 1 : 0;
  const char* const point = at + sign + 1;
  const size_t decimals = length - sign - 2;  // Huge if there are no decimals.
  const auto first = static_cast<uint64_t>(point[-1] - '0');
  if (first > 9 || *point != '.' || decimals - 1 >= kMostDecimals) {
    return nullptr;
  }
  // Up to 8 digits in `high` and up to 4 in `low`, with zeros before both.
  const size_t high_count = std::min<size_t>(decimals, 8);
  const size_t low_count = decimals - high_count;
  const uint64_t high = (Load8(point + 1) ^ kEightZeros)
                        << 8 * (8 - high_count);
  const uint64_t low = static_cast<uint32_t>(
      ((Load8(point + 9) ^ kEightZeros) & 0xffffffff) << 8 * (4 - low_count));
  if ((OtherBytes(high) | OtherBytes(low)) != 0) return nullptr;
  const uint64_t digits =
      (first * kPowersOfTen[high_count] + JoinDigits(high)) *
          kPowersOfTen[low_count] +
      JoinFourDigits(low);
  return DivideByPowerOfTen(digits, decimals, sign == 1, value) ? at + length
                                                                : nullptr;
}

// Returns whether the only tab of the line is the separator after its first
// `bytes` bytes.
bool OnlyTabIsAfter(size_t bytes, absl::string_view line) {
  return line.find('\t') == bytes && line.rfind('\t') == bytes;
}

// Parses any line. Needed for one line in millions.
absl::StatusOr<absl::string_view> ParseFromRight(absl::string_view line,
                                                 size_t dim, float* values) {
  absl::string_view rest = line;
  for (size_t i = dim; i > 0; --i) {
    const absl::string_view field = TakeLastField(&rest);
    if (rest.empty()) {  // `field` would be the word.
      return absl::InvalidArgumentError(
          absl::StrCat("expected ", dim, " values after the word, found ",
                       dim - i, WayOut(field)));
    }
    if (!ParseWhole(field, &values[i - 1])) {
      const size_t numbers = dim - i;
      return absl::InvalidArgumentError(absl::StrCat(
          "expected ", dim, " values after the word, but ",
          numbers == 0 ? "the last field"
                       : absl::StrCat("the field before the last ", numbers),
          " is ", Quote(field), ", which is not a number", WayOut(field)));
    }
  }
  const absl::string_view word = rest;
  if (OnlyTabIsAfter(word.size(), line)) return word;
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
  // std::from_chars does not set the value here; absl::from_chars returns 0 or
  // the largest float.
  const char* const after = absl::from_chars(begin, end, *value).ptr;
  if (std::abs(*value) > 1) *value *= 2;
  return after;
}

size_t CountValues(absl::string_view line) {
  const bool has_no_word = !line.empty() && IsSeparator(line.front());
  line = TrimEnd(line);
  size_t count = 0;
  while (IsNumber(TakeLastField(&line))) {
    if (line.empty()) return count + (has_no_word ? 1 : 0);
    ++count;
  }
  return count;
}

absl::string_view WayOutOfNoNumber(absl::string_view line) {
  line = TrimEnd(line);
  return WayOut(TakeLastField(&line));
}

TextLine ClassifyLine(absl::string_view line, size_t dim) {
  const bool is_odd =
      line.empty() || IsSeparator(line.front()) || line.front() == '\r';
  if (!is_odd) return TextLine::kRow;
  line = TrimEnd(line);
  if (line.empty()) return TextLine::kBlank;
  size_t values = 0;
  while (!line.empty()) {
    if (!IsNumber(TakeLastField(&line))) return TextLine::kRow;
    ++values;
  }
  return values == dim ? TextLine::kNoWord : TextLine::kRow;
}

absl::StatusOr<absl::string_view> ParseTextRow(absl::string_view line,
                                               size_t dim, float* values) {
  line = TrimEnd(line);
  while (!line.empty() && IsSeparator(line.front())) line.remove_prefix(1);
  const char* const end = line.data() + line.size();
  const char* at = line.data();
  while (at != end && !IsSeparator(*at)) ++at;
  const absl::string_view word(line.data(),
                               static_cast<size_t>(at - line.data()));
  size_t i = 0;
  // Leaves room for a value, its space, and the bytes read with the next value.
  const char* const last =
      end - std::min<ptrdiff_t>(end - at,
                                static_cast<ptrdiff_t>(kShortDecimalReach) + 1);
  for (; i < dim && at < last; ++i) {
    const char* const after = ParseShortDecimal(at + 1, &values[i]);
    if (after == nullptr) break;
    at = after;
  }
  for (; i < dim; ++i) {
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
