// The target of a request: its path and the parameters of its query.

#ifndef FIRTH_TOOLS_SERVE_TARGET_H_
#define FIRTH_TOOLS_SERVE_TARGET_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth::tools {

struct Target {
  std::string path;  // as it came: no route has an encoded character
  std::vector<std::pair<std::string, std::string>> parameters;  // decoded
};

// Takes "/path?name=value&name=value" apart; "+" in a value is a space. Errors:
// InvalidArgument, a "%" without two hex digits, bytes that are not UTF-8, a
// NUL, a parameter that stands twice.
absl::StatusOr<Target> ParseTarget(absl::string_view target);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_TARGET_H_
