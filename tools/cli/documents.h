// Documents that are generated from the same declarations as --help: manual
// pages, the reference of all options, and completions for shells.

#ifndef FIRTH_TOOLS_CLI_DOCUMENTS_H_
#define FIRTH_TOOLS_CLI_DOCUMENTS_H_

#include <string>
#include <vector>

namespace firth::tools {

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
