// Foreign bytes in a message.

#ifndef FIRTH_BASE_QUOTE_H_
#define FIRTH_BASE_QUOTE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace firth {

// The bytes, or their beginning if they are long, in quotes and printable:
// control characters escaped, what is not valid UTF-8 replaced.
std::string Quote(absl::string_view bytes);

}  // namespace firth

#endif  // FIRTH_BASE_QUOTE_H_
