// Completion of commands, options and their values for bash.

#ifndef FIRTH_TOOLS_CLI_BASH_COMPLETION_H_
#define FIRTH_TOOLS_CLI_BASH_COMPLETION_H_

#include <string>

namespace firth::tools {

// A script to be sourced; needs nothing but bash.
std::string BashCompletion();

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_BASH_COMPLETION_H_
