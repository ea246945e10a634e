// Documents that are generated from the declarations of commands and options:
// --help, as plain text of at most 80 columns, manual pages, the reference of
// all options, and completions for shells.

#ifndef FIRTH_TOOLS_CLI_DOCUMENTS_H_
#define FIRTH_TOOLS_CLI_DOCUMENTS_H_

#include <cstddef>
#include <string>
#include <vector>

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
std::string BuildLines();   // firth --version --verbose
// Describes the everyday options of a command; all options if `all` is set or
// none is an everyday one.
std::string CommandHelp(const Command& command, const OptionSet& options,
                        bool all);

// Returns the first part of an option's help, for completions.
std::string ShortHelp(const Option& option);

// Returns the names and the value of an option: "-h, --help", "--dim N".
std::string OptionUsage(const Option& option);

// Breaks `text` into lines of at most `width` columns, each ending with a line
// break. All lines but the first are indented by `indent` spaces; the first is
// assumed to start at that column.
std::string Wrap(absl::string_view text, size_t indent, size_t width);

struct ManPage {
  std::string file;  // Name of the file, such as "firth-lm-train.1".
  std::string text;  // In the man macros of roff.
};

// Returns one page for the program, which lists the others, then one page per
// command.
std::vector<ManPage> ManPages();

// Returns docs/reference/options.md: for each command its summary, usage,
// description and option tables. The text does not depend on the machine.
std::string MarkdownHelp();

// Returns a script to be sourced, which needs only bash.
std::string BashCompletion();
// Returns a script to be stored as _firth in a folder of $fpath, or sourced
// after compinit.
std::string ZshCompletion();
// Returns a script to be stored as firth.fish in a folder of
// $fish_complete_path, or sourced.
std::string FishCompletion();

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_DOCUMENTS_H_
