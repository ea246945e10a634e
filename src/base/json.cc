#include "base/json.h"

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

}  // namespace firth
