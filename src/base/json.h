// Converts JSON from text and to text. The parser and the writer of nlohmann's
// library are templates that take seconds to compile, so only json.cc
// instantiates them.

#ifndef FIRTH_BASE_JSON_H_
#define FIRTH_BASE_JSON_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "firth/json_reader.h"
#include "nlohmann/json_fwd.hpp"

namespace firth {

using Json = nlohmann::json;
// Finding a name takes time proportional to the number of names in the object.
using OrderedJson = nlohmann::ordered_json;

// Maximum depth of JSON. All valid input of Firth is less deep.
constexpr int kMostJsonLevels = 64;

// Parse JSON in time that is linear in the length of the text; see ReadJson().
// Use OrderedJson::parse() only for text that Firth itself wrote.
Json ParseJson(absl::string_view text, int most_depth = kMostJsonLevels,
               JsonFaults* faults = nullptr);
OrderedJson ParseOrderedJson(absl::string_view text,
                             int most_depth = kMostJsonLevels,
                             JsonFaults* faults = nullptr);

// Return JSON as one line of text. Bytes that are not valid UTF-8 become
// U+FFFD.
std::string DumpJson(const Json& json);
std::string DumpJson(const OrderedJson& json);

// Returns a number as JSON. A number that JSON cannot represent becomes one of
// the texts "nan", "inf" and "-inf".
Json JsonOfNumber(double number);
// Returns the number that JsonOfNumber() converted. Throws nlohmann's
// exceptions for any other value, as get() does.
double NumberOfJson(const Json& json);

// Return a member of an object or an item of an array, which must be a whole
// number from 0 to `most`. Otherwise, throw nlohmann's exceptions with its
// name. In contrast, get() would convert -1, 1.5 and 1e300 to some whole
// number.
uint64_t CountAt(const nlohmann::json& object, absl::string_view name,
                 uint64_t most = UINT64_MAX);
uint64_t CountAt(const nlohmann::json& array, size_t index,
                 uint64_t most = UINT64_MAX);

}  // namespace firth

#endif  // FIRTH_BASE_JSON_H_
