#include "io/formats/finalfusion_metadata.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "base/unicode.h"

namespace firth {
namespace {

constexpr char kForeignKey[] = "finalfusion";
constexpr absl::string_view kOwnTable = "[firth]\n";

// Returns the text as a basic string of TOML.
std::string QuoteToml(absl::string_view text) {
  std::string valid;
  AppendReplacingInvalid(text, &valid);
  std::string quoted = "\"";
  for (const char c : valid) {
    if (c == '"' || c == '\\') {
      absl::StrAppend(&quoted, "\\", absl::string_view(&c, 1));
    } else if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) {
      absl::StrAppendFormat(&quoted, "\\u%04X", static_cast<unsigned char>(c));
    } else {
      quoted.push_back(c);
    }
  }
  quoted.push_back('"');
  return quoted;
}

// Removes a string written by QuoteToml() from the start of the line. Returns
// nothing for any other text.
std::optional<std::string> TakeQuoted(absl::string_view* line) {
  if (!absl::ConsumePrefix(line, "\"")) return std::nullopt;
  std::string text;
  while (!line->empty()) {
    const char c = line->front();
    line->remove_prefix(1);
    if (c == '"') return text;
    if (c != '\\') {
      text.push_back(c);
      continue;
    }
    uint32_t code_point;
    if (absl::ConsumePrefix(line, "u") && line->size() >= 4 &&
        absl::SimpleHexAtoi(line->substr(0, 4), &code_point)) {
      AppendUtf8(static_cast<int32_t>(code_point), &text);
      line->remove_prefix(4);
    } else if (!line->empty()) {
      text.push_back(line->front());
      line->remove_prefix(1);
    }
  }
  return std::nullopt;
}

std::optional<std::map<std::string, std::string>> ParseOwnTable(
    absl::string_view text) {
  std::map<std::string, std::string> own;
  while (!text.empty()) {
    absl::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    std::optional<std::string> key = TakeQuoted(&line);
    if (!key.has_value() || !absl::ConsumePrefix(&line, " = ")) {
      return std::nullopt;
    }
    std::optional<std::string> value = TakeQuoted(&line);
    if (!value.has_value() || !line.empty()) return std::nullopt;
    own[*std::move(key)] = *std::move(value);
  }
  return own;
}

// Returns the start of Firth's table, or npos.
size_t FindOwnTable(absl::string_view text) {
  if (absl::StartsWith(text, kOwnTable)) return 0;
  const size_t before = text.rfind(absl::StrCat("\n", kOwnTable));
  return before == text.npos ? text.npos : before + 1;
}

}  // namespace

std::map<std::string, std::string> ParseFifuMetadata(absl::string_view text) {
  std::map<std::string, std::string> metadata;
  const size_t begin = FindOwnTable(text);
  if (begin != text.npos) {
    auto own = ParseOwnTable(text.substr(begin + kOwnTable.size()));
    if (own.has_value()) {
      metadata = *std::move(own);
      text = text.substr(0, begin);
    }
  }
  if (!text.empty()) metadata[kForeignKey] = std::string(text);
  return metadata;
}

std::string MakeFifuMetadata(
    const std::map<std::string, std::string>& metadata) {
  std::string text;
  const auto foreign = metadata.find(kForeignKey);
  if (foreign != metadata.end()) AppendReplacingInvalid(foreign->second, &text);
  if (metadata.size() == (foreign == metadata.end() ? 0u : 1u)) return text;
  if (!text.empty() && text.back() != '\n') text.push_back('\n');
  text.append(kOwnTable.data(), kOwnTable.size());
  for (const auto& [key, value] : metadata) {
    if (key == kForeignKey) continue;
    absl::StrAppend(&text, QuoteToml(key), " = ", QuoteToml(value), "\n");
  }
  return text;
}

}  // namespace firth
