// Quotes bytes from outside in a message.

#ifndef FIRTH_BASE_QUOTE_H_
#define FIRTH_BASE_QUOTE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace firth {

// Returns the bytes in quotes and printable, shortened if they are long.
// Control characters are escaped, and invalid UTF-8 is replaced.
std::string Quote(absl::string_view bytes);

}  // namespace firth

#endif  // FIRTH_BASE_QUOTE_H_
