// JSON output. Keys keep the order in which they were added.

#ifndef FIRTH_TOOLS_CLI_JSON_H_
#define FIRTH_TOOLS_CLI_JSON_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace firth::tools {

using Json = nlohmann::ordered_json;

// Nothing that the program reads is nested so deeply.
constexpr int kMostJsonLevels = 64;

// Reads JSON in time that is linear in the length of the text: see ReadJson().
// Use Json::parse() only for text that this program itself wrote.
Json ParseJson(absl::string_view text, int most_depth = kMostJsonLevels);

// One line without its end. Words need not be valid UTF-8, JSON must be: what
// is invalid becomes U+FFFD.
std::string OneLine(const Json& json);
// Returns OneLine(json) with its line end.
std::string JsonLine(const Json& json);
// For JSON that must give back every byte: each text in `json` that is not
// UTF-8 becomes {"bytes": "ff..."}, and what is so comes back as it was.
Json WithBytesAsHex(Json json);
Json WithHexAsBytes(Json json);
// Returns the bytes that `hex` spells, two digits of either case per byte;
// nothing if it has another character or an odd length.
std::optional<std::string> HexToBytes(absl::string_view hex);
// Returns whether a text is valid UTF-8.
bool IsUtf8(const Json& text);
// Indented, for files, with the last line end.
std::string Indented(const Json& json);

// The number with the fewest digits that read back as `value`: 0.1, and not
// 0.10000000149. Null if it is not finite.
Json NumberJson(float value);

// The value with the decimals that mean something.
double Rounded(double value);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_JSON_H_
