// The help as plain text, at most 80 columns wide.

#ifndef FIRTH_TOOLS_CLI_HELP_TEXT_H_
#define FIRTH_TOOLS_CLI_HELP_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "command.h"

namespace firth::tools {

// Completes "firth ...": what the program does.
extern const absl::string_view kProgramSummary;

std::string ProgramHelp();  // firth --help
// firth lm --help; empty if no command has a name of `first` and another word.
std::string GroupHelp(absl::string_view first);
std::string ShortUsage();   // firth
std::string VersionLine();  // firth --version
// Describes the command and its common options, or all options if `all` is
// true or the command has no common ones.
std::string CommandHelp(const Command& command, const OptionSet& options,
                        bool all);

// Breaks `text` into lines of at most 79 columns. The first line is assumed to
// begin at column `indent`; the others are indented by that much.
std::string Wrap(absl::string_view text, size_t indent);

// Returns the beginning of the option's help, for lists of completions.
std::string ShortHelp(const Option& option);

// "-h, --help", "--dim N".
std::string OptionUsage(const Option& option);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_HELP_TEXT_H_
