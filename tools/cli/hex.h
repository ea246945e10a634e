// Bytes as hexadecimal digits, as in %-escapes of URLs and in JSON.

#ifndef FIRTH_TOOLS_CLI_HEX_H_
#define FIRTH_TOOLS_CLI_HEX_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace firth::tools {

// Returns the bytes that `hex` spells, two digits of either case per byte;
// nothing if it has another character or an odd length.
std::optional<std::string> HexToBytes(absl::string_view hex);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_HEX_H_
