#include "base/quote.h"

#include <cstddef>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/unicode.h"
#include "firth/thousands.h"

namespace firth {
namespace {

constexpr size_t kMostQuotedBytes = 80;

}  // namespace

std::string Quote(absl::string_view bytes) {
  std::string valid;
  AppendReplacingInvalid(bytes.substr(0, kMostQuotedBytes), &valid);
  return absl::StrCat("\"", absl::Utf8SafeCHexEscape(valid),
                      bytes.size() <= kMostQuotedBytes ? "\"" : "...\"");
}

std::string Thousands(uint64_t number) {
  const std::string digits = absl::StrCat(number);
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

}  // namespace firth
