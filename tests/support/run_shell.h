// Runs a shell command for tests of scripts.

#ifndef FIRTH_TESTS_SUPPORT_RUN_SHELL_H_
#define FIRTH_TESTS_SUPPORT_RUN_SHELL_H_

#include <string>

namespace firth {

struct ShellOutcome {
  int exit_code = -1;  // -1 if the command could not be run or was killed
  std::string output;  // standard output and standard error
};

ShellOutcome RunShell(const std::string& command);

// The absolute path of `name`, a file of the repository: below $FIRTH_SOURCE,
// or below the working directory if that is not set.
std::string SourcePath(const std::string& name);

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_RUN_SHELL_H_
