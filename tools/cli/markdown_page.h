// The reference of all commands and options in Markdown, made from the same
// declarations as --help.

#ifndef FIRTH_TOOLS_CLI_MARKDOWN_PAGE_H_
#define FIRTH_TOOLS_CLI_MARKDOWN_PAGE_H_

#include <string>

namespace firth::tools {

// Returns the text of docs/reference/options.md. It does not depend on the
// machine.
std::string MarkdownPage();

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_MARKDOWN_PAGE_H_
