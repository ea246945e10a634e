#include "cli/json.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "absl/strings/escaping.h"
#include "firth/json_reader.h"

namespace firth::tools {
namespace {

constexpr char kBytes[] = "bytes";

bool IsHex(const Json& json) {
  return json.is_object() && json.size() == 1 && json.contains(kBytes) &&
         json[kBytes].is_string();
}

}  // namespace

Json ParseJson(absl::string_view text, int most_depth) {
  return ReadJson<Json>(text, most_depth, nullptr);
}

std::string OneLine(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string JsonLine(const Json& json) { return OneLine(json) + "\n"; }

bool IsUtf8(const Json& text) { return Json::parse(OneLine(text)) == text; }

Json WithBytesAsHex(Json json) {
  if (json.is_string() && !IsUtf8(json)) {
    Json hex;
    hex[kBytes] = absl::BytesToHexString(json.get<std::string>());
    return hex;
  }
  if (json.is_structured()) {
    for (Json& part : json) part = WithBytesAsHex(std::move(part));
  }
  return json;
}

Json WithHexAsBytes(Json json) {
  if (IsHex(json)) {
    if (const std::optional<std::string> bytes =
            HexToBytes(json[kBytes].get<std::string>())) {
      return *bytes;
    }
  }
  if (json.is_structured()) {
    for (Json& part : json) part = WithHexAsBytes(std::move(part));
  }
  return json;
}

std::string Indented(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<std::string> HexToBytes(absl::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  for (size_t i = 0; i < hex.size(); i += 2) {
    const char* const pair = hex.data() + i;
    unsigned char byte = 0;
    const auto [end, error] = std::from_chars(pair, pair + 2, byte, 16);
    if (error != std::errc() || end != pair + 2) return std::nullopt;
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

Json NumberJson(float value) {
  if (!std::isfinite(value)) return nullptr;
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof(digits) - 1, value);
  *end.ptr = '\0';
  return std::strtod(digits, nullptr);
}

double Rounded(double value) { return std::round(value * 1e6) / 1e6; }

}  // namespace firth::tools
