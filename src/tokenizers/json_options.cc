#include "tokenizers/json_options.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/quote.h"
#include "nlohmann/json.hpp"

namespace firth {

std::string DescribeJson(const Json& json) {
  if (json.is_string()) return Quote(json.get_ref<const std::string&>());
  if (json.is_object()) return "an object";
  if (json.is_array()) return "an array";
  return json.is_discarded() ? "no JSON" : DumpJson(json);
}

std::string JsonOptions::PathOf(absl::string_view name) const {
  return path_.empty() ? std::string(name) : absl::StrCat(path_, ".", name);
}

absl::Status JsonOptions::Expected(absl::string_view expected) const {
  return absl::InvalidArgumentError(absl::StrCat(
      path_, ": expected ", expected, ", found ", DescribeJson(*json_)));
}

absl::Status JsonOptions::Expected(absl::string_view name,
                                   absl::string_view expected) const {
  const Json* const found = Find(name);
  return absl::InvalidArgumentError(
      absl::StrCat(PathOf(name), ": expected ", expected, ", found ",
                   found == nullptr ? "none" : DescribeJson(*found)));
}

absl::Status JsonOptions::CheckNames(
    absl::Span<const absl::string_view> names) const {
  if (!json_->is_object()) return Expected("an object");
  for (const auto& [name, value] : json_->items()) {
    if (name == "type" || absl::c_linear_search(names, name)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(path_, ": expected only the options ",
                     names.empty() ? "\"type\"" : absl::StrJoin(names, ", "),
                     ", found ", Quote(name)));
  }
  return absl::OkStatus();
}

const Json* JsonOptions::Find(absl::string_view name) const {
  if (!json_->is_object()) return nullptr;
  const auto found = json_->find(std::string(name));
  return found == json_->end() || found->is_null() ? nullptr : &*found;
}

absl::StatusOr<std::string> JsonOptions::Text(
    absl::string_view name,
    const std::optional<std::string>& if_missing) const {
  const Json* const found = Find(name);
  if (found == nullptr && if_missing.has_value()) return *if_missing;
  if (found == nullptr || !found->is_string()) return Expected(name, "a text");
  return found->get<std::string>();
}

absl::StatusOr<bool> JsonOptions::Flag(absl::string_view name,
                                       std::optional<bool> if_missing) const {
  const Json* const found = Find(name);
  if (found == nullptr && if_missing.has_value()) return *if_missing;
  if (found == nullptr || !found->is_boolean()) {
    return Expected(name, "true or false");
  }
  return found->get<bool>();
}

absl::StatusOr<uint64_t> JsonOptions::Count(
    absl::string_view name, std::optional<uint64_t> if_missing) const {
  const Json* const found = Find(name);
  if (found == nullptr && if_missing.has_value()) return *if_missing;
  if (found == nullptr || !found->is_number_unsigned()) {
    return Expected(name, "a whole number from 0");
  }
  return found->get<uint64_t>();
}

absl::StatusOr<size_t> JsonOptions::Choice(
    absl::string_view name, absl::Span<const absl::string_view> values,
    std::optional<size_t> if_missing) const {
  const Json* const found = Find(name);
  if (found == nullptr && if_missing.has_value()) return *if_missing;
  if (found != nullptr && found->is_string()) {
    const auto value =
        absl::c_find(values, found->get_ref<const std::string&>());
    if (value != values.end()) {
      return static_cast<size_t>(value - values.begin());
    }
  }
  return Expected(name, absl::StrCat("one of ", absl::StrJoin(values, ", ")));
}

absl::StatusOr<std::vector<JsonOptions>> JsonOptions::Objects(
    absl::string_view name) const {
  const Json* const found = Find(name);
  if (found == nullptr || !found->is_array()) {
    return Expected(name, "an array");
  }
  std::vector<JsonOptions> objects;
  for (const Json& one : *found) {
    objects.emplace_back(absl::StrCat(PathOf(name), "[", objects.size(), "]"),
                         one);
    if (!one.is_object()) return objects.back().Expected("an object");
  }
  return objects;
}

}  // namespace firth
