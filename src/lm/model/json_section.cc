#include "lm/model/json_section.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/quote.h"
#include "firth/status_macros.h"

namespace firth {

namespace {

// Describes structured values only by their type, because printing a value that
// is nested too deeply would end the program.
std::string Shown(const Json& value) {
  return value.is_structured() ? absl::StrCat("an ", value.type_name())
                               : Quote(DumpJson(value));
}

}  // namespace

absl::Status JsonSection::Bad(absl::string_view key,
                              absl::string_view expected) const {
  const auto found = json.find(std::string(key));
  return absl::InvalidArgumentError(absl::StrCat(
      place, ": \"", name, key, "\": expected ", expected, ", found ",
      found == json.end() ? "nothing" : Shown(*found)));
}

absl::StatusOr<JsonSection> JsonSection::Sub(const char* key) const {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_object()) return Bad(key, "an object");
  return JsonSection{place, absl::StrCat(name, key, "."), *found};
}

absl::StatusOr<size_t> JsonSection::Size(const char* key, uint64_t least,
                                         uint64_t most) const {
  const auto found = json.find(key);
  if (found != json.end() && found->is_number_unsigned()) {
    const auto size = found->get<uint64_t>();
    if (size >= least && size <= most) return size;
  }
  return Bad(key, absl::StrCat("a whole number from ", least, " to ", most));
}

absl::StatusOr<double> JsonSection::Limit(const char* key) const {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return 0;
  if (found->is_number() && found->get<double>() >= 0) {
    return found->get<double>();
  }
  return Bad(key, "a number of 0 or more");
}

absl::StatusOr<bool> JsonSection::Flag(const char* key) const {
  const auto found = json.find(key);
  if (found == json.end()) return false;
  if (found->is_boolean()) return found->get<bool>();
  return Bad(key, "true or false");
}

absl::StatusOr<size_t> JsonSection::Choice(
    const char* key, absl::Span<const absl::string_view> names) const {
  const auto found = json.find(key);
  if (found != json.end() && found->is_string()) {
    const auto* const at =
        std::find(names.begin(), names.end(), found->get<std::string>());
    if (at != names.end()) return at - names.begin();
  }
  return Bad(key, absl::StrCat("\"", absl::StrJoin(names, "\" or \""), "\""));
}

absl::StatusOr<std::vector<JsonSection::Pair>> JsonSection::Filters(
    const char* key, size_t most_width) const {
  const absl::Status bad = Bad(
      key, "a list of [width, count], widths at most max_characters_per_token");
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array() || found->empty() ||
      found->size() > kMostLayers) {
    return bad;
  }
  std::vector<Pair> filters;
  for (const Json& pair : *found) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_unsigned() ||
        !pair[1].is_number_unsigned()) {
      return bad;
    }
    filters.emplace_back(pair[0].get<uint64_t>(), pair[1].get<uint64_t>());
    const auto [width, count] = filters.back();
    if (width == 0 || width > most_width || count == 0 || count > kMostUnits) {
      return bad;
    }
  }
  return filters;
}

absl::StatusOr<Json> ReadJsonObject(const std::string& path,
                                    absl::string_view what) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  constexpr int kMostDepth = 16;
  Json json = ParseJson(file->bytes(), kMostDepth);
  if (json.is_object()) return json;
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": expected a JSON object with ", what, ", found something else"));
}

}  // namespace firth
