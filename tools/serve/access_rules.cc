// Whoever can write the file of the token can use the service, so its owner and
// its mode are checked. The owner of a file can write it whatever its mode is.

#include "serve/access_rules.h"

#include <arpa/inet.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "cli/console.h"
#include "cli/used_files.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

// Limits of the length of a token. A shorter one could be guessed.
constexpr size_t kShortestToken = 16;
constexpr size_t kLongestToken = 1024;
constexpr size_t kLongestName = 253;  // Of a host (RFC 1035).

bool IsVisible(char c) {
  return absl::ascii_isgraph(static_cast<unsigned char>(c));
}

bool IsHostName(absl::string_view name) {
  return name.size() <= kLongestName && IsVisible(name[0]) && name[0] != '.' &&
         absl::c_all_of(name, [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                  absl::StrContains("-._", c);
         });
}

// Checks that only this user and root could write the file.
absl::Status CheckWriters(const std::string& path, const struct stat& about) {
  if (about.st_uid != geteuid() && about.st_uid != 0) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s: user %d owns this file and could therefore change the token; "
        "expected a file of user %d, who runs the service, or of root; use "
        "\"sudo chown %d FILE\", or \"install -m 400 FILE COPY\" and the copy",
        path, about.st_uid, geteuid(), geteuid()));
  }
  if ((about.st_mode & 022) == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrFormat(
      "%s: others could write this file (mode %03o); expected a file that only "
      "its owner can write; use \"chmod go-w FILE\"",
      path, about.st_mode & 0777U));
}

// Returns why the text is not a token, or "".
std::string FaultOf(absl::string_view token) {
  if (token.empty()) return "an empty file";
  if (absl::StartsWith(token, "\xef\xbb\xbf")) {
    return "a byte order mark before it; save the file without one";
  }
  if (const auto ends = absl::c_count(token, '\n'); ends > 0) {
    return absl::StrCat(ends + 1, " lines");
  }
  const auto odd = absl::c_find_if_not(token, IsVisible);
  if (odd != token.end()) {
    return *odd == ' ' ? "a space"
                       : absl::StrFormat("the byte 0x%02x",
                                         static_cast<unsigned char>(*odd));
  }
  const bool fits =
      token.size() >= kShortestToken && token.size() <= kLongestToken;
  return fits ? "" : absl::StrCat(token.size());
}

}  // namespace

bool IsIpAddress(const std::string& text) {
  in6_addr address;
  return inet_pton(AF_INET, text.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

absl::StatusOr<std::vector<std::string>> HostNames(absl::string_view list) {
  std::vector<std::string> names;
  for (absl::string_view name : absl::StrSplit(list, ',')) {
    name = absl::StripAsciiWhitespace(name);
    names.push_back(absl::AsciiStrToLower(name));
    if (!name.empty() && (IsHostName(name) || IsIpAddress(names.back()))) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "--allow-host: expected host names such as words.example.org, "
        "separated by commas, without a scheme, port or path, found \"",
        Visible(name), "\"; every port of a name is allowed"));
  }
  return names;
}

absl::StatusOr<std::string> ReadToken(const std::string& path) {
  struct stat about = {};
  if (stat(path.c_str(), &about) != 0) {
    return absl::NotFoundError(
        absl::StrCat(path, ": cannot read: ", std::strerror(errno)));
  }
  if (S_ISDIR(about.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected a file with a token, found a folder"));
  }
  FIRTH_RETURN_IF_ERROR(CheckWriters(path, about));
  // Secrets that Docker and Kubernetes mount belong to root, and others may
  // read them.
  if (about.st_uid == geteuid() && geteuid() != 0 &&
      (about.st_mode & 044) != 0) {
    PrintMessage(absl::StrCat("warning: ", path,
                              ": other users of this machine can read the "
                              "token; use \"chmod 600 FILE\""));
  }
  FIRTH_ASSIGN_OR_RETURN(std::string token, ReadRegularFile(path));
  absl::StripAsciiWhitespace(&token);
  const std::string fault = FaultOf(token);
  if (fault.empty()) return token;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": the token must have ", kShortestToken, " to ",
                   kLongestToken, " visible ASCII characters, found ", fault));
}

}  // namespace firth::tools
