// Completion of commands, options and their values, for shells.

#ifndef FIRTH_TOOLS_CLI_COMPLETION_H_
#define FIRTH_TOOLS_CLI_COMPLETION_H_

#include <string>

namespace firth::tools {

// A script to be sourced; needs nothing but bash.
std::string BashCompletion();
// To be put as _firth into a folder of $fpath, or sourced after compinit.
std::string ZshCompletion();
// To be put as firth.fish into a folder of $fish_complete_path, or sourced.
std::string FishCompletion();

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_COMPLETION_H_
