// The manual pages, one of the program and one a command, made from the same
// declarations as --help.

#ifndef FIRTH_TOOLS_CLI_MAN_PAGE_H_
#define FIRTH_TOOLS_CLI_MAN_PAGE_H_

#include <string>
#include <vector>

namespace firth::tools {

struct ManPage {
  std::string file;  // its name: "firth-lm-train.1"
  std::string text;  // in the man macros of roff
};

// The page of the program, which lists the others, comes first.
std::vector<ManPage> ManPages();

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_MAN_PAGE_H_
