// The help as plain text, at most 80 columns wide.

#ifndef FIRTH_TOOLS_HELP_TEXT_H_
#define FIRTH_TOOLS_HELP_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "command.h"

namespace firth::tools {

// What the program is, in the words of all three documents.
extern const absl::string_view kProgramSummary;

std::string ProgramHelp();  // firth --help
// firth lm --help; empty if no command's name begins with `first` and another
// word.
std::string GroupHelp(absl::string_view first);
std::string ShortUsage();   // firth
std::string VersionLine();  // firth --version
std::string CommandHelp(const Command& command, const OptionSet& options);

// "-h, --help", "--dim N".
std::string OptionUsage(const Option& option);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_HELP_TEXT_H_
