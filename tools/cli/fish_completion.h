// Completion of commands, options and their values for fish.

#ifndef FIRTH_TOOLS_CLI_FISH_COMPLETION_H_
#define FIRTH_TOOLS_CLI_FISH_COMPLETION_H_

#include <string>

namespace firth::tools {

// To be put as firth.fish into a folder of $fish_complete_path, or sourced.
std::string FishCompletion();

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_FISH_COMPLETION_H_
