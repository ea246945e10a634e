// A check walks down schema and value together and fills in defaults on the
// way. A message has the path to the place, what was expected there and what
// was found.

#include "serve/schema.h"

#include <cmath>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/closest_name.h"
#include "firth/status_macros.h"
#include "serve/field_error.h"

namespace firth::tools {
namespace {

// Of a value in a message.
constexpr size_t kMostShown = 60;

Json Typed(const char* type, absl::string_view help) {
  Json schema = {{"type", type}};
  if (!help.empty()) schema["description"] = std::string(help);
  return schema;
}

std::string Shown(const Json& value) {
  if (value.is_structured()) {
    return absl::StrCat(value.is_array() ? "a list" : "an object", " of ",
                        value.size());
  }
  std::string text = OneLine(value);
  if (text.size() <= kMostShown) return text;
  return OneLine(text.substr(0, kMostShown)) + "...";
}

absl::Status Expected(const std::string& place, absl::string_view what,
                      const Json& value) {
  return FieldError(place,
                    absl::StrCat("expected ", what, ", found ", Shown(value)));
}

std::string RangeText(const Json& schema) {
  return absl::StrCat("a whole number from ", schema["minimum"].get<int64_t>(),
                      " to ", schema["maximum"].get<int64_t>());
}

absl::Status FitWhole(const Json& schema, const std::string& place,
                      const Json& value) {
  const bool fits = value.is_number_integer() &&
                    !(value.is_number_unsigned() &&
                      value.get<uint64_t>() > uint64_t{INT64_MAX}) &&
                    value.get<int64_t>() >= schema["minimum"].get<int64_t>() &&
                    value.get<int64_t>() <= schema["maximum"].get<int64_t>();
  return fits ? absl::OkStatus() : Expected(place, RangeText(schema), value);
}

absl::Status FitText(const Json& schema, const std::string& place,
                     const Json& value) {
  if (!value.is_string()) return Expected(place, "a text", value);
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() > kMostTextBytes) {
    return FieldError(place, absl::StrCat("expected at most ", kMostTextBytes,
                                          " bytes, found ", text.size()));
  }
  const auto names = schema.find("enum");
  if (names == schema.end()) return absl::OkStatus();
  for (const Json& name : *names) {
    if (name == value) return absl::OkStatus();
  }
  return Expected(place, absl::StrCat("one of ", OneLine(*names)), value);
}

std::string CountText(const Json& schema) {
  const auto low = schema.value("minItems", uint64_t{0});
  const auto high = schema.value("maxItems", uint64_t{0});
  if (high == 0) return absl::StrCat("a list of ", low, " or more elements");
  return low == high
             ? absl::StrCat("a list of ", low, " elements")
             : absl::StrCat("a list of ", low, " to ", high, " elements");
}

absl::Status FitList(const Json& schema, const std::string& place,
                     Json* value) {
  const auto high = schema.value("maxItems", uint64_t{0});
  if (!value->is_array() ||
      value->size() < schema.value("minItems", uint64_t{0}) ||
      (high > 0 && value->size() > high)) {
    return Expected(place, CountText(schema), *value);
  }
  for (size_t i = 0; i < value->size(); ++i) {
    FIRTH_RETURN_IF_ERROR(FitToSchema(
        schema["items"], absl::StrCat(place, "[", i, "]"), &(*value)[i]));
  }
  return absl::OkStatus();
}

absl::Status UnknownField(const Json& properties, const std::string& place,
                          const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, unused] : properties.items()) {
    names.push_back(known);
  }
  return FieldError(
      place, absl::StrCat("unknown field", DidYouMean(names, name),
                          "; the fields are ", absl::StrJoin(names, ", ")));
}

absl::Status FitObject(const Json& schema, const std::string& place,
                       Json* value) {
  if (!value->is_object()) return Expected(place, "an object", *value);
  if (!schema.contains("properties")) return absl::OkStatus();
  const Json& properties = schema["properties"];
  const auto at = [&](const std::string& name) {
    return place.empty() ? name : absl::StrCat(place, ".", name);
  };
  for (auto& [name, part] : value->items()) {
    const auto known = properties.find(name);
    if (known == properties.end()) {
      return UnknownField(properties, at(name), name);
    }
    FIRTH_RETURN_IF_ERROR(FitToSchema(*known, at(name), &part));
  }
  for (const Json& name : schema["required"]) {
    if (value->contains(name)) continue;
    return FieldError(at(name), "this field is required");
  }
  for (const auto& [name, property] : properties.items()) {
    if (property.contains("default") && !value->contains(name)) {
      (*value)[name] = property["default"];
    }
  }
  return absl::OkStatus();
}

absl::Status FitAny(const Json& schema, const std::string& place, Json* value) {
  absl::Status status;
  for (const Json& one : schema["anyOf"]) {
    status = FitToSchema(one, place, value);
    if (status.ok()) return status;
  }
  // Of what it might be the message tells the last, which is the richest.
  return status;
}

}  // namespace

Json TextSchema(absl::string_view help) { return Typed("string", help); }

Json WholeSchema(int64_t low, int64_t high, absl::string_view help) {
  Json schema = Typed("integer", help);
  schema["minimum"] = low;
  schema["maximum"] = high;
  return schema;
}

Json NumberSchema(absl::string_view help) { return Typed("number", help); }
Json BooleanSchema(absl::string_view help) { return Typed("boolean", help); }
Json NullSchema() { return Typed("null", ""); }

Json ChoiceSchema(const std::vector<std::string>& names,
                  absl::string_view help) {
  Json schema = Typed("string", help);
  schema["enum"] = names;
  return schema;
}

Json ListSchema(Json item, size_t low, size_t high, absl::string_view help) {
  Json schema = Typed("array", help);
  schema["items"] = std::move(item);
  if (low > 0) schema["minItems"] = low;
  if (high > 0) schema["maxItems"] = high;
  return schema;
}

Json AnySchema(std::initializer_list<Json> schemas, absl::string_view help) {
  Json schema = Json::object();
  schema["anyOf"] = Json::array();
  for (const Json& one : schemas) schema["anyOf"].push_back(one);
  if (!help.empty()) schema["description"] = std::string(help);
  return schema;
}

Json ObjectSchema(std::initializer_list<Property> properties,
                  absl::string_view help) {
  Json schema = Typed("object", help);
  schema["properties"] = Json::object();
  schema["required"] = Json::array();
  for (const Property& property : properties) {
    schema["properties"][property.name] = property.schema;
    if (property.required) schema["required"].push_back(property.name);
  }
  schema["additionalProperties"] = false;
  return schema;
}

Json FreeObjectSchema() { return Typed("object", ""); }

Property Optional(std::string name, Json schema, Json otherwise) {
  if (!otherwise.is_null()) schema["default"] = std::move(otherwise);
  return {std::move(name), std::move(schema), false};
}

absl::Status FitToSchema(const Json& schema, const std::string& place,
                         Json* value) {
  if (schema.contains("anyOf")) return FitAny(schema, place, value);
  const auto& type = schema["type"].get_ref<const std::string&>();
  if (type == "object") return FitObject(schema, place, value);
  if (type == "array") return FitList(schema, place, value);
  if (type == "string") return FitText(schema, place, *value);
  if (type == "integer") return FitWhole(schema, place, *value);
  const bool fits = type == "number"    ? value->is_number()
                    : type == "boolean" ? value->is_boolean()
                                        : value->is_null();
  const char* const what = type == "number"    ? "a number"
                           : type == "boolean" ? "true or false"
                                               : "null";
  return fits ? absl::OkStatus() : Expected(place, what, *value);
}

Json FromText(const Json& schema, const std::string& text) {
  const std::string type = schema.value("type", std::string());
  int64_t whole = 0;
  if (type == "integer" && absl::SimpleAtoi(text, &whole)) return whole;
  double number = 0;
  if (type == "number" && absl::SimpleAtod(text, &number) &&
      std::isfinite(number)) {
    return number;
  }
  return text;
}

}  // namespace firth::tools
