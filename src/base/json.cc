#include "base/json.h"

#include <cmath>
#include <limits>
#include <string>

#include "nlohmann/json.hpp"

namespace firth {
namespace {

template <class Json>
std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
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

}  // namespace firth
