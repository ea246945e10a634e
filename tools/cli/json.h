// JSON output. Keys keep the order in which they were added.

#ifndef FIRTH_TOOLS_CLI_JSON_H_
#define FIRTH_TOOLS_CLI_JSON_H_

#include <string>

#include "nlohmann/json.hpp"

namespace firth::tools {

using Json = nlohmann::ordered_json;

// One line without its end. Words need not be valid UTF-8, JSON must be: what
// is invalid becomes U+FFFD.
std::string OneLine(const Json& json);
// For JSON that must give back every byte: each text in `json` that is not
// UTF-8 becomes {"bytes": "ff..."}, and what is so comes back as it was.
Json WithBytesAsHex(Json json);
Json WithHexAsBytes(Json json);
// Indented, for files, with the last line end.
std::string Indented(const Json& json);

// The value with the decimals that mean something.
double Rounded(double value);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_JSON_H_
