#include "tokenizers/charsmap.h"

#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/unicode.h"

namespace firth {
namespace {

// Longer graphemes are never replaced as a whole.
constexpr size_t kMostGraphemeBytes = 5;

bool HasValue(uint32_t unit) { return (unit >> 8 & 1) != 0; }
uint32_t LabelOf(uint32_t unit) { return unit & (1u << 31 | 0xFF); }
uint32_t ValueOf(uint32_t unit) { return unit & 0x7FFFFFFF; }
uint32_t OffsetOf(uint32_t unit) {
  return (unit >> 10) << ((unit & (1u << 9)) >> 6);
}

absl::Status BadCharsmap(absl::string_view found) {
  return absl::InvalidArgumentError(absl::StrCat(
      "expected a trie and replacements in base64, found ", found));
}

}  // namespace

absl::StatusOr<Charsmap> Charsmap::Read(absl::string_view base64) {
  std::string bytes;
  if (!absl::Base64Unescape(base64, &bytes)) {
    return BadCharsmap("text that is not base64");
  }
  uint32_t trie_bytes = 0;
  if (bytes.size() < sizeof(trie_bytes)) {
    return BadCharsmap(absl::StrCat(bytes.size(), " bytes"));
  }
  std::memcpy(&trie_bytes, bytes.data(), sizeof(trie_bytes));
  if (trie_bytes == 0 || trie_bytes % sizeof(uint32_t) != 0 ||
      trie_bytes > bytes.size() - sizeof(trie_bytes)) {
    return BadCharsmap(absl::StrCat("a trie of ", trie_bytes, " bytes in ",
                                    bytes.size(), " bytes"));
  }
  Charsmap map;
  map.units_.resize(trie_bytes / sizeof(uint32_t));
  std::memcpy(map.units_.data(), bytes.data() + sizeof(trie_bytes), trie_bytes);
  map.replacements_ = bytes.substr(sizeof(trie_bytes) + trie_bytes);
  if (FindInvalidUtf8(map.replacements_) != absl::string_view::npos) {
    return BadCharsmap("replacements that are not valid UTF-8");
  }
  return map;
}

// A damaged trie can refer to positions beyond it, or inside a character.
std::optional<absl::string_view> Charsmap::Find(absl::string_view part) const {
  size_t position = OffsetOf(units_[0]);
  for (const char byte : part) {
    if (byte == 0) break;
    position ^= static_cast<unsigned char>(byte);
    if (position >= units_.size()) break;
    const uint32_t unit = units_[position];
    if (LabelOf(unit) != static_cast<unsigned char>(byte)) break;
    position ^= OffsetOf(unit);
    if (!HasValue(unit) || position >= units_.size()) continue;
    const uint32_t begin = ValueOf(units_[position]);
    if (begin >= replacements_.size() ||
        (replacements_[begin] & 0xC0) == 0x80) {
      return std::nullopt;
    }
    const absl::string_view rest =
        absl::string_view(replacements_).substr(begin);
    return rest.substr(0, rest.find('\0'));
  }
  return std::nullopt;
}

bool Charsmap::AppendFound(absl::string_view part, std::string* to) const {
  const std::optional<absl::string_view> found = Find(part);
  if (found.has_value()) absl::StrAppend(to, *found);
  return found.has_value();
}

void Charsmap::AppendReplaced(absl::string_view text, std::string* to) const {
  while (!text.empty()) {
    const absl::string_view grapheme = text.substr(0, GraphemeBytes(text));
    text.remove_prefix(grapheme.size());
    if (grapheme.size() <= kMostGraphemeBytes && AppendFound(grapheme, to)) {
      continue;
    }
    for (absl::string_view rest = grapheme; !rest.empty();) {
      const absl::string_view character =
          rest.substr(0, DecodeUtf8(rest).bytes);
      if (!AppendFound(character, to)) absl::StrAppend(to, character);
      rest.remove_prefix(character.size());
    }
  }
}

}  // namespace firth
