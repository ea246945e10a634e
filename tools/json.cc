#include "json.h"

#include <cmath>

namespace firth::tools {

std::string OneLine(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string Indented(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

double Rounded(double value) { return std::round(value * 1e6) / 1e6; }

}  // namespace firth::tools
