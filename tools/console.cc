#include "console.h"

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace firth::tools {
namespace {

std::string& TheProgramName() {
  static auto& name = *new std::string("firth");
  return name;
}

}  // namespace

void SetProgramName(const std::string& name) { TheProgramName() = name; }

const std::string& ProgramName() { return TheProgramName(); }

void Print(absl::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

absl::Status FlushResults() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
    return absl::OkStatus();
  }
  if (errno == EPIPE) return absl::AbortedError("nobody reads the results");
  return absl::ResourceExhaustedError(
      absl::StrCat("cannot write the results to standard output: ",
                   errno == 0 ? "an earlier write failed"
                              : std::generic_category().message(errno)));
}

void Say(absl::string_view message) {
  PrintNote(absl::StrCat("firth: ", message, "\n"));
}

void PrintNote(absl::string_view text) {
  std::fflush(stdout);  // the two must not overtake each other on a terminal
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace firth::tools
