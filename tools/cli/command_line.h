// The command line, cut into options with their values and arguments.

#ifndef FIRTH_TOOLS_CLI_COMMAND_LINE_H_
#define FIRTH_TOOLS_CLI_COMMAND_LINE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/option_set.h"

namespace firth::tools {

struct CommandLinePart {
  std::string option;  // its name, without dashes; empty: of arguments
  std::vector<std::string> values;
};

// In the order in which they were given; values are not looked at.
// dashed_words: see OptionSet::TakeDashedWords(). Errors: InvalidArgument, an
// option that is none of these or that lacks its value.
absl::StatusOr<std::vector<CommandLinePart>> CutCommandLine(
    const std::vector<std::string>& arguments,
    const std::vector<OptionSection>& sections, bool dashed_words);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_COMMAND_LINE_H_
