// The manual page of the program and all its commands, made from the same
// declarations as --help.

#ifndef FIRTH_TOOLS_MAN_PAGE_H_
#define FIRTH_TOOLS_MAN_PAGE_H_

#include <string>

namespace firth::tools {

// In the man macros of roff.
std::string ManPage();

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_MAN_PAGE_H_
