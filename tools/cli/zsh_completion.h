// Completion of commands, options and their values for zsh.

#ifndef FIRTH_TOOLS_CLI_ZSH_COMPLETION_H_
#define FIRTH_TOOLS_CLI_ZSH_COMPLETION_H_

#include <string>

namespace firth::tools {

// To be put as _firth into a folder of $fpath, or sourced after compinit.
std::string ZshCompletion();

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_ZSH_COMPLETION_H_
