// AccessRules: which requests the service accepts, by host name and token.

#ifndef FIRTH_TOOLS_SERVE_ACCESS_RULES_H_
#define FIRTH_TOOLS_SERVE_ACCESS_RULES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth::tools {

struct AccessRules {
  // Host names of the service in lower case, in addition to localhost and IP
  // addresses.
  std::vector<std::string> hosts;
  // Token that "Authorization: Bearer" must contain. If empty, none is needed.
  std::string token;
};

// Returns whether the text is an IP address, without brackets.
bool IsIpAddress(const std::string& text);

// Returns the names in a list that is separated by commas, in lower case.
// Errors: InvalidArgument, a text that no host has as its name.
absl::StatusOr<std::vector<std::string>> HostNames(absl::string_view list);

// Reads a token from a file that nobody but this user and root could write.
// Prints a warning if others can read it. Errors: NotFound, it cannot be read;
// FailedPrecondition, others could write it; InvalidArgument, it is no file or
// contains no token.
absl::StatusOr<std::string> ReadToken(const std::string& path);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_ACCESS_RULES_H_
