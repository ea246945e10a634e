#include "serve/target.h"

#include <algorithm>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/console.h"
#include "cli/json.h"
#include "firth/ask.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

// Returns whether the bytes are valid UTF-8 without NUL.
bool IsText(absl::string_view bytes) {
  if (bytes.find('\0') != absl::string_view::npos) return false;
  const Json text = std::string(bytes);
  return Json::parse(OneLine(text)) == text;
}

absl::StatusOr<std::string> Decode(absl::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i] == '+' ? ' ' : text[i]);
      continue;
    }
    const absl::string_view digits = text.substr(i + 1, 2);
    const std::optional<std::string> byte = HexToBytes(digits);
    if (digits.size() != 2 || !byte.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the query: expected two hexadecimal digits after %, found \"%",
          Visible(digits), "\""));
    }
    decoded += *byte;
    i += 2;
  }
  if (!IsText(decoded)) {
    return absl::InvalidArgumentError("the query: not valid UTF-8 without NUL");
  }
  return decoded;
}

}  // namespace

absl::StatusOr<Target> ParseTarget(absl::string_view target) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(target, absl::MaxSplits('?', 1));
  Target parsed;
  parsed.path = std::string(parts.first);
  for (const absl::string_view pair :
       absl::StrSplit(parts.second, '&', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> sides =
        absl::StrSplit(pair, absl::MaxSplits('=', 1));
    FIRTH_ASSIGN_OR_RETURN(std::string name, Decode(sides.first));
    FIRTH_ASSIGN_OR_RETURN(std::string value, Decode(sides.second));
    for (const auto& [other, unused] : parsed.parameters) {
      if (other != name) continue;
      return ErrorAt(name, "this parameter is given more than once");
    }
    parsed.parameters.emplace_back(std::move(name), std::move(value));
  }
  return parsed;
}

}  // namespace firth::tools
