// The help as plain text, at most 80 columns wide.

#ifndef FIRTH_TOOLS_CLI_HELP_TEXT_H_
#define FIRTH_TOOLS_CLI_HELP_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "command.h"

namespace firth::tools {

// What the program is, in the words of all documents.
extern const absl::string_view kProgramSummary;

std::string ProgramHelp();  // firth --help
// firth lm --help; empty if no command's name begins with `first` and another
// word.
std::string GroupHelp(absl::string_view first);
std::string ShortUsage();   // firth
std::string VersionLine();  // firth --version
// Its everyday options, or all where all are wanted or none is an everyday one.
std::string CommandHelp(const Command& command, const OptionSet& options,
                        bool all);

// The start of its help, as far as it fits beside an option that is offered for
// completion.
std::string ShortHelp(const Option& option);

// "-h, --help", "--dim N".
std::string OptionUsage(const Option& option);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_HELP_TEXT_H_
