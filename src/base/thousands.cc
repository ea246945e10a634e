#include "firth/thousands.h"

#include <cstddef>

#include "absl/strings/str_cat.h"

namespace firth {

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
