#include "base/json.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

template <class Json>
std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class Key>
uint64_t Count(const nlohmann::json& json, const Key& key, uint64_t most) {
  const nlohmann::json& found = json.at(key);
  if (found.is_number_unsigned() && found <= most) return found.get<uint64_t>();
  throw nlohmann::json::out_of_range::create(
      401,
      absl::StrCat(key, ": expected a whole number from 0 to ", most,
                   ", found ", Dump(found)),
      &json);
}

}  // namespace

Json ParseJson(absl::string_view text, int most_depth, JsonFaults* faults) {
  return ReadJson<Json>(text, most_depth, faults);
}

OrderedJson ParseOrderedJson(absl::string_view text, int most_depth,
                             JsonFaults* faults) {
  return ReadJson<OrderedJson>(text, most_depth, faults);
}

std::string DumpJson(const nlohmann::json& json) { return Dump(json); }

std::string DumpJson(const nlohmann::ordered_json& json) { return Dump(json); }

nlohmann::json JsonOfNumber(double number) {
  if (std::isfinite(number)) return number;
  return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
}

double NumberOfJson(const nlohmann::json& json) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return kInfinity;
  if (json == "-inf") return -kInfinity;
  return json.get<double>();
}

uint64_t CountAt(const nlohmann::json& object, absl::string_view name,
                 uint64_t most) {
  return Count(object, std::string(name), most);
}

uint64_t CountAt(const nlohmann::json& array, size_t index, uint64_t most) {
  return Count(array, index, most);
}

}  // namespace firth
