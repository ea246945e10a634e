// JSON from text and to text. The parser and the writer of nlohmann's library
// are templates that take seconds to compile: only this file's .cc does.

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

// Nothing that Firth reads is nested so deeply.
constexpr int kMostJsonLevels = 64;

// Reads JSON in time that is linear in the length of the text: see ReadJson().
// Use OrderedJson::parse() only for text that Firth itself wrote.
Json ParseJson(absl::string_view text, int most_depth = kMostJsonLevels,
               JsonFaults* faults = nullptr);
OrderedJson ParseOrderedJson(absl::string_view text,
                             int most_depth = kMostJsonLevels,
                             JsonFaults* faults = nullptr);

// One line. Bytes that are not UTF-8 become U+FFFD.
std::string DumpJson(const Json& json);
std::string DumpJson(const OrderedJson& json);

// A number that JSON cannot hold, such as NaN, is a text: "nan", "inf", "-inf".
Json JsonOfNumber(double number);
// Throws nlohmann's exceptions for what is neither, as its get() does.
double NumberOfJson(const Json& json);

// The member of an object, or the item of an array, that is a whole number from
// 0 to `most`. Throws nlohmann's exceptions, with its name, where it is not:
// get() would take -1, 1.5 and 1e300 for some number.
uint64_t CountAt(const nlohmann::json& object, absl::string_view name,
                 uint64_t most = UINT64_MAX);
uint64_t CountAt(const nlohmann::json& array, size_t index,
                 uint64_t most = UINT64_MAX);

}  // namespace firth

#endif  // FIRTH_BASE_JSON_H_
