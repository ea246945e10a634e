// Options are written as one object, with a member for each field that applies,
// and read by name in any order; a FieldEditor keeps the values of alternatives
// that are not chosen yet. Identities are compared field by field. A missing
// field has its default, so that later versions may add options.

#include "base/fields_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/quote.h"
#include "firth/status_macros.h"

namespace firth {

// Converts a term to JSON; called by the JSON library.
static void to_json(OrderedJson& json, const WordOrVector& term) {
  if (term.vector.empty()) {
    json = term.word;
  } else {
    json = term.vector;
  }
}

namespace {

// Returns the value if JSON has its type, and otherwise its text.
OrderedJson ToJson(const FieldTarget& target, const std::string& text) {
  return std::visit(
      [&](const auto& value) -> OrderedJson {
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_pointer_v<Value>) {
          return *value;
        } else {
          return text;
        }
      },
      target);
}

std::string ExpectedInJson(const Field& field) {
  switch (field.kind) {
    case FieldKind::kFlag:
      return "true or false";
    case FieldKind::kWhole:
      return absl::StrCat("a whole number, ", field.RangeText());
    case FieldKind::kWholes:
      return absl::StrCat("a list of whole numbers, ", field.RangeText());
    case FieldKind::kTexts:
      return "a list of texts";
    case FieldKind::kTerms:
      return "a list of words, or of vectors as lists of finite numbers";
    default:
      return field.Expected();
  }
}

template <class Number>
bool TakeNumber(const Field& field, const OrderedJson& json, Number* target) {
  const bool right_type = std::is_same_v<Number, double>
                              ? json.is_number()
                              : json.is_number_integer();
  if (!right_type) return false;
  // The range is checked with the number as a double, because a number that is
  // too large for its type must be rejected too.
  const auto value = json.get<double>();
  if (!field.InRange(value) && field.automatic != value) return false;
  if (value < static_cast<double>(std::numeric_limits<Number>::lowest()) ||
      value > static_cast<double>(std::numeric_limits<Number>::max())) {
    return false;
  }
  *target = json.get<Number>();
  return true;
}

bool TakeTerm(const OrderedJson& json, WordOrVector* target) {
  if (json.is_string()) {
    target->word = json.get<std::string>();
    return true;
  }
  if (!json.is_array() || json.empty()) return false;
  for (const OrderedJson& number : json) {
    if (!number.is_number()) return false;
    const auto value = number.get<double>();
    if (!(std::abs(value) <= std::numeric_limits<float>::max())) return false;
    target->vector.push_back(static_cast<float>(value));
  }
  return true;
}

template <class Item>
bool TakeList(const Field& field, const OrderedJson& json,
              std::vector<Item>* target) {
  if (!json.is_array()) return false;
  std::vector<Item> items;
  for (const OrderedJson& one : json) {
    Item& item = items.emplace_back();
    if constexpr (std::is_same_v<Item, std::string>) {
      if (!one.is_string()) return false;
      item = one.get<std::string>();
    } else if constexpr (std::is_same_v<Item, WordOrVector>) {
      if (!TakeTerm(one, &item)) return false;
    } else {
      if (!TakeNumber(field, one, &item)) return false;
    }
  }
  *target = std::move(items);
  return true;
}

bool Take(const Field&, const OrderedJson& json, bool* target) {
  if (!json.is_boolean()) return false;
  *target = json.get<bool>();
  return true;
}
bool Take(const Field&, const OrderedJson& json, std::string* target) {
  if (!json.is_string()) return false;
  *target = json.get<std::string>();
  return true;
}
template <class Item>
bool Take(const Field& field, const OrderedJson& json,
          std::vector<Item>* target) {
  return TakeList(field, json, target);
}
template <class Number>
bool Take(const Field& field, const OrderedJson& json, Number* target) {
  return TakeNumber(field, json, target);
}

bool FromJson(const Field& field, const OrderedJson& json, void* value) {
  return std::visit(
      [&](const auto& target) {
        using Target = std::remove_cvref_t<decltype(target)>;
        if constexpr (std::is_pointer_v<Target>) {
          return Take(field, json, target);
        } else {
          return json.is_string() &&
                 field.SetText(json.get<std::string>(), value);
        }
      },
      field.at(value));
}

// Returns the value as text for messages.
std::string Shown(const OrderedJson& value) {
  constexpr size_t kMostShown = 60;
  if (value.is_structured() && value.size() > 4) {
    return absl::StrCat(value.is_array() ? "a list" : "an object", " of ",
                        value.size());
  }
  const std::string text = DumpJson(value);
  return text.size() <= kMostShown
             ? text
             : absl::StrCat("a value of ", text.size(), " bytes");
}

absl::StatusOr<OrderedJson> ParseObject(absl::string_view text) {
  JsonFaults faults;
  OrderedJson json = ParseOrderedJson(text, kMostJsonLevels, &faults);
  if (!json.is_object()) {
    return absl::InvalidArgumentError(
        "options: not a JSON object; write options as {\"name\": value}");
  }
  if (faults.twice.empty()) return json;
  return absl::InvalidArgumentError(
      absl::StrCat(faults.twice, ": this option is given twice"));
}

// Returns a field of the struct or of an alternative, or null if there is none.
const Field* FindField(const FieldTable& table, absl::string_view name) {
  for (const Field& field : table.fields()) {
    if (field.name == name) return &field;
    for (const FieldAlternative& alternative : field.alternatives) {
      const Field* const found = FindField(*alternative.fields, name);
      if (found != nullptr) return found;
    }
  }
  return nullptr;
}

// Returns a stored value, its default if missing, or null. Earlier versions
// wrote choices as numbers or by former names, and "1x32,2x64" as a list of
// pairs.
nlohmann::json Before(const Field* field, const std::string& name,
                      const nlohmann::json& before) {
  if (!before.is_object() || !before.contains(name)) {
    return field == nullptr ? nlohmann::json() : DefaultOf(*field);
  }
  const nlohmann::json& was = before[name];
  if (field == nullptr) return was;
  if (field->kind == FieldKind::kChoice && was.is_number_integer() &&
      was >= 0 && was < field->choices.size()) {
    return field->choices[was.get<size_t>()];
  }
  if (field->kind == FieldKind::kChoice && was.is_string()) {
    const auto former =
        field->former_choices.find(was.get_ref<const std::string&>());
    if (former != field->former_choices.end()) return former->second;
  }
  if (field->kind != FieldKind::kWritten || !was.is_array()) return was;
  return absl::StrJoin(was, ",", [](std::string* out, const auto& pair) {
    for (const auto& number : pair) {
      absl::StrAppend(out, &number == &pair.front() ? "" : "x",
                      DumpJson(number));
    }
  });
}

std::string Told(const nlohmann::json& value) {
  return value.is_null() ? "not given" : DumpJson(value);
}

}  // namespace

nlohmann::json DefaultOf(const Field& field) {
  switch (field.kind) {
    case FieldKind::kFlag:
      return field.initial == "true" || field.initial == "on";
    case FieldKind::kWhole:
    case FieldKind::kReal:
      return ParseJson(field.initial);
    case FieldKind::kWholes:
      return ParseJson(absl::StrCat("[", field.initial, "]"));
    case FieldKind::kTexts:
    case FieldKind::kTerms:
      return nlohmann::json::array();
    default:
      return field.initial;
  }
}

nlohmann::ordered_json FieldsToJson(const FieldTable& table,
                                    const void* options,
                                    const std::vector<FieldRole>& without) {
  // The editor does not change the options.
  const FieldEditor editor(table, const_cast<void*>(options));
  OrderedJson json = OrderedJson::object();
  for (const std::string& name : editor.names()) {
    const Field& field = *editor.Find(name);
    const bool left_out =
        std::find(without.begin(), without.end(), field.role) != without.end();
    if (left_out || !editor.Applies(name)) continue;
    const std::string text = editor.Text(name);
    if (field.unlisted && text == field.initial) continue;
    json[name] = ToJson(editor.At(name), text);
  }
  return json;
}

std::string FieldsJson(const FieldTable& table, const void* options) {
  return DumpJson(FieldsToJson(table, options));
}

absl::Status ReadFieldsJson(absl::string_view json, const FieldTable& table,
                            void* options) {
  FieldEditor editor(table, options);
  return ReadFieldsJson(json, &editor);
}

absl::Status ReadFieldsJson(absl::string_view json, FieldEditor* fields) {
  FIRTH_ASSIGN_OR_RETURN(const OrderedJson object, ParseObject(json));
  return ReadFields(object, "option", fields);
}

absl::Status ReadFields(const OrderedJson& object, absl::string_view noun,
                        FieldEditor* fields) {
  FieldEditor& editor = *fields;
  for (const auto& [name, value] : object.items()) {
    const Field* const field = editor.Find(name);
    if (field == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          noun, "s: there is no ", noun, " ", Quote(name), "; the ", noun,
          "s are ", absl::StrJoin(editor.names(), ", ")));
    }
    const auto set = [&given = value](const Field& one, void* place) {
      return FromJson(one, given, place);
    };
    if (!editor.Set(name, set)) {
      return absl::InvalidArgumentError(absl::StrCat(name, ": expected ",
                                                     ExpectedInJson(*field),
                                                     ", found ", Shown(value)));
    }
  }
  for (const auto& [name, value] : object.items()) {
    if (!editor.Applies(name)) return DoesNotApply(editor, name);
  }
  return absl::OkStatus();
}

absl::Status ReadFileFields(const nlohmann::json& object,
                            absl::string_view place, const FieldTable& table,
                            void* options) {
  FieldEditor editor(table, options);
  for (const std::string& name : editor.names()) {
    const auto found = object.find(name);
    const bool missing = found == object.end() || found->is_null();
    const auto set = [&](const Field& field, void* value) {
      return missing ? field.SetText(field.Text(value), value)
                     : FromJson(field, OrderedJson(*found), value);
    };
    if (editor.Set(name, set)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        place, name, "\": expected ", ExpectedInJson(*editor.Find(name)),
        ", found ", missing ? "nothing" : Shown(OrderedJson(*found))));
  }
  return absl::OkStatus();
}

std::vector<std::string> FieldDifferences(const FieldTable& table,
                                          const nlohmann::json& before,
                                          const nlohmann::json& now) {
  nlohmann::json names = now;
  if (before.is_object()) names.update(before);
  std::vector<std::string> differences;
  for (const auto& [name, unused] : names.items()) {
    const Field* const field = FindField(table, name);
    // A listed field is missing only if another alternative is chosen. That
    // difference is reported by the field of the choice.
    if (field != nullptr && !field->unlisted && !now.contains(name)) continue;
    const nlohmann::json was = Before(field, name, before);
    const nlohmann::json is = Before(field, name, now);
    if (was == is) continue;
    const bool is_checksum =
        field == nullptr && was.is_string() && is.is_string();
    differences.push_back(
        is_checksum
            ? absl::StrCat(name, " changed (its checksum was ", Told(was),
                           " and is now ", Told(is), ")")
            : absl::StrCat(name, " was ", Told(was), " and is now ", Told(is)));
  }
  return differences;
}

}  // namespace firth
