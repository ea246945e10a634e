#include "base/json.h"

#include <cmath>
#include <limits>
#include <set>
#include <string>

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

nlohmann::json ParseJson(absl::string_view text) {
  return nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
}

nlohmann::json ParseJson(absl::string_view text, int most_depth) {
  return nlohmann::json::parse(
      text.begin(), text.end(),
      [=](int depth, nlohmann::json::parse_event_t, const nlohmann::json&) {
        return depth <= most_depth;
      },
      false);
}

nlohmann::json ParseJson(absl::string_view text, int most_depth,
                         std::string* twice) {
  std::set<std::string> names;
  const auto see = [&](int depth, nlohmann::json::parse_event_t event,
                       const nlohmann::json& parsed) {
    if (event == nlohmann::json::parse_event_t::key && depth == 1) {
      const auto [name, is_new] = names.insert(parsed.get<std::string>());
      if (!is_new) *twice = *name;
    }
    return depth <= most_depth;
  };
  return nlohmann::json::parse(text.begin(), text.end(), see, false);
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
