// Reads and writes JSON. Keys keep the order in which they were added.

#ifndef FIRTH_TOOLS_CLI_JSON_H_
#define FIRTH_TOOLS_CLI_JSON_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace firth::tools {

using Json = nlohmann::ordered_json;

// Maximum nesting; no input of the program is nested more deeply.
constexpr int kMostJsonLevels = 64;

// Reads JSON in time that is linear in the length of the text: see ReadJson().
// Use Json::parse() only for text that this program itself wrote.
Json ParseJson(absl::string_view text, int most_depth = kMostJsonLevels);

// Returns JSON as one line without a line end. Bytes that are not valid UTF-8
// become U+FFFD.
std::string OneLine(const Json& json);
// Returns OneLine(json) with its line end.
std::string JsonLine(const Json& json);
// Convert JSON whose texts must keep all bytes. Each text that is not UTF-8
// becomes {"bytes": "ff..."}; WithHexAsBytes() restores it.
Json WithBytesAsHex(Json json);
Json WithHexAsBytes(Json json);
// Returns the bytes of hexadecimal digits, two per byte in either case, or
// nothing if there is another character or an odd number of digits.
std::optional<std::string> HexToBytes(absl::string_view hex);
// Returns whether a text is valid UTF-8.
bool IsUtf8(const Json& text);
// Returns indented JSON with a final line end, for files.
std::string Indented(const Json& json);

// Returns the number with the fewest digits that are read back as `value`, such
// as 0.1 instead of 0.10000000149, or null if `value` is not finite.
Json NumberJson(float value);

// Returns the value without insignificant decimals.
double Rounded(double value);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_JSON_H_
