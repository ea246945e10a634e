// The help as plain text, at most 80 columns wide.

#ifndef FIRTH_TOOLS_CLI_HELP_TEXT_H_
#define FIRTH_TOOLS_CLI_HELP_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "command.h"

namespace firth::tools {

// One line that describes the program in all documents.
extern const absl::string_view kProgramSummary;

std::string ProgramHelp();  // firth --help
// firth lm --help; "" if no command has a name of two words, the first being
// `first`.
std::string GroupHelp(absl::string_view first);
std::string ShortUsage();   // firth
std::string VersionLine();  // firth --version
// Describes the everyday options of a command; all options if `all` is set or
// none is an everyday one.
std::string CommandHelp(const Command& command, const OptionSet& options,
                        bool all);

// Returns the first part of an option's help, for completions.
std::string ShortHelp(const Option& option);

// "-h, --help", "--dim N".
std::string OptionUsage(const Option& option);

// Breaks `text` into lines of at most `width` columns, each ending with a line
// break. All lines but the first are indented by `indent` spaces; the first is
// assumed to start at that column.
std::string Wrap(absl::string_view text, size_t indent, size_t width);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_HELP_TEXT_H_
