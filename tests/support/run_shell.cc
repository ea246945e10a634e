#include "support/run_shell.h"

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace firth {

ShellOutcome RunShell(const std::string& command) {
  FILE* pipe = popen(("{ " + command + "; } 2>&1").c_str(), "r");
  ShellOutcome outcome;
  if (pipe == nullptr) return outcome;
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    outcome.output.append(buffer, n);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  return outcome;
}

std::string SourcePath(const std::string& name) {
  const char* source = std::getenv("FIRTH_SOURCE");
  return std::filesystem::absolute(source == nullptr ? "." : source) / name;
}

}  // namespace firth
