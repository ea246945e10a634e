// The reference of all options as Markdown, generated from the same
// declarations as --help and the manual pages.

#ifndef FIRTH_TOOLS_CLI_MARKDOWN_HELP_H_
#define FIRTH_TOOLS_CLI_MARKDOWN_HELP_H_

#include <string>

namespace firth::tools {

// Returns docs/reference/options.md: for each command its summary, usage,
// description and option tables. The text does not depend on the machine.
std::string MarkdownHelp();

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_MARKDOWN_HELP_H_
