#include "base/quote.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/unicode.h"

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

}  // namespace firth
