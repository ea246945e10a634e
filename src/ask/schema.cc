// Derives JSON schemas of requests and answers from their tables.

#include <cmath>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ask/question.h"
#include "base/fields_json.h"
#include "base/json.h"
#include "firth/ask.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

void Describe(absl::string_view help, OrderedJson* schema) {
  if (!help.empty()) (*schema)["description"] = std::string(help);
}

void SetBounds(const Field& field, const char* low, const char* high,
               OrderedJson* schema) {
  const bool whole = field.kind != FieldKind::kReal;
  const auto bound = [whole](double value) -> OrderedJson {
    if (whole) return static_cast<int64_t>(value);
    return value;
  };
  if (std::isfinite(field.min) && (!whole || field.min > 0)) {
    (*schema)[low] = bound(field.min);
  }
  if (std::isfinite(field.max) && field.max < 0x1p62) {
    (*schema)[high] = bound(field.max);
  }
}

OrderedJson ListOf(OrderedJson items) {
  return {{"type", "array"}, {"items", std::move(items)}};
}

OrderedJson NonEmpty(OrderedJson list) {
  list["minItems"] = 1;
  return list;
}

// Adds choices, help and default. A default that lets the library choose is
// described in words, because its value has no meaning for users.
void DescribeField(const Field& field, const OrderedJson& initial,
                   OrderedJson* schema) {
  if (field.kind == FieldKind::kChoice) (*schema)["enum"] = field.choices;
  // Languages with a type for paths can then accept it.
  if (field.role == FieldRole::kPlace) {
    const bool is_list = field.kind == FieldKind::kTexts;
    (is_list ? (*schema)["items"] : *schema)["format"] = "path";
  }
  const bool is_automatic = field.automatic.has_value() &&
                            initial.is_number() &&
                            initial.get<double>() == *field.automatic;
  const bool has_text = is_automatic && !field.default_text.empty();
  Describe(has_text ? absl::StrCat(field.help, "; the default is ",
                                   field.default_text)
                    : field.help,
           schema);
  if (!is_automatic && !initial.is_null() && !initial.is_discarded()) {
    (*schema)["default"] = initial;
  }
}

OrderedJson FieldSchema(const Field& field, const OrderedJson& initial) {
  OrderedJson schema;
  switch (field.kind) {
    case FieldKind::kFlag:
      schema = {{"type", "boolean"}};
      break;
    case FieldKind::kWhole:
      schema = {{"type", "integer"}};
      schema["minimum"] = static_cast<int64_t>(field.min);
      SetBounds(field, "minimum", "maximum", &schema);
      break;
    case FieldKind::kReal:
      schema = {{"type", "number"}};
      SetBounds(field, "minimum", "maximum", &schema);
      break;
    case FieldKind::kWholes:
      schema = ListOf({{"type", "integer"}});
      break;
    case FieldKind::kTexts:
      schema = ListOf({{"type", "string"}});
      SetBounds(field, "minItems", "maxItems", &schema);
      break;
    case FieldKind::kTerms:
      schema = ListOf(
          {{"anyOf",
            {{{"type", "string"}}, NonEmpty(ListOf({{"type", "number"}}))}}});
      SetBounds(field, "minItems", "maxItems", &schema);
      break;
    case FieldKind::kText:
      schema = {{"type", "string"}};
      SetBounds(field, "minLength", "maxLength", &schema);
      break;
    default:
      schema = {{"type", "string"}};
  }
  DescribeField(field, initial, &schema);
  return schema;
}

// Returns whether a request must have the field.
bool IsRequired(const Field& field) {
  const bool has_size = field.kind == FieldKind::kText ||
                        field.kind == FieldKind::kTexts ||
                        field.kind == FieldKind::kTerms;
  return has_size && field.min > 0;
}

// The schema of an object to which members are added.
class ObjectSchema {
 public:
  void Add(const std::string& name, OrderedJson schema, bool is_required) {
    properties_[name] = std::move(schema);
    if (is_required) required_.push_back(name);
  }
  OrderedJson Json() const {
    return {{"type", "object"},
            {"properties", properties_},
            {"required", required_},
            {"additionalProperties", false}};
  }

 private:
  OrderedJson properties_ = OrderedJson::object();
  OrderedJson required_ = OrderedJson::array();
};

// Adds the fields of a table, and those of the alternatives of its variants.
void AddFields(const FieldTable& table, ObjectSchema* object) {
  for (const Field& field : table.fields()) {
    const bool is_required = IsRequired(field);
    const OrderedJson initial =
        is_required ? OrderedJson() : OrderedJson(DefaultOf(field));
    object->Add(field.name, FieldSchema(field, initial), is_required);
    for (const FieldAlternative& alternative : field.alternatives) {
      AddFields(*alternative.fields, object);
    }
  }
}

OrderedJson ObjectWithFields(const FieldTable& table) {
  ObjectSchema object;
  AddFields(table, &object);
  return object.Json();
}

OrderedJson BodySchema(const Question& question) {
  ObjectSchema object;
  for (const Slot& slot : question.slots) {
    const bool is_required = slot.required && NamesModels(question);
    OrderedJson schema = {{"type", "string"}};
    if (is_required) schema["minLength"] = 1;
    Describe(slot.help, &schema);
    object.Add(slot.name, std::move(schema), is_required);
  }
  const std::vector<std::string> query = QueryFields(question);
  const bool takes_queries = !query.empty();
  object.Add("requests", NonEmpty(ListOf(ObjectWithFields(*question.request))),
             !takes_queries);
  if (!takes_queries) return object.Json();
  const OrderedJson text = {{"type", "string"}};
  OrderedJson queries =
      NonEmpty(ListOf({{"anyOf", {text, NonEmpty(ListOf(text))}}}));
  Describe(
      absl::StrCat("instead of \"requests\": texts, or lists of texts, for ",
                   absl::StrJoin(query, ", ")),
      &queries);
  object.Add("queries", std::move(queries), false);
  OrderedJson json = object.Json();
  for (const char* const one : {"requests", "queries"}) {
    json["oneOf"].push_back({{"required", OrderedJson::array({one})}});
  }
  return json;
}

OrderedJson SchemaOf(const AnswerType& type) {
  switch (type.kind) {
    case AnswerKind::kFlag:
      return {{"type", "boolean"}};
    case AnswerKind::kWhole:
      return {{"type", "integer"}};
    case AnswerKind::kReal:
      // A number that is not finite is written as null.
      return {{"type", {"number", "null"}}};
    case AnswerKind::kText:
      return {{"type", "string"}};
    case AnswerKind::kOptional:
      if (type.item->kind == AnswerKind::kReal) return SchemaOf(*type.item);
      return {{"anyOf", {SchemaOf(*type.item), {{"type", "null"}}}}};
    case AnswerKind::kList:
      return ListOf(SchemaOf(*type.item));
    case AnswerKind::kStruct:
      break;
  }
  ObjectSchema object;
  for (const AnswerMember& member : *type.members) {
    OrderedJson schema = SchemaOf(*member.type);
    Describe(member.help, &schema);
    object.Add(member.name, std::move(schema), true);
  }
  return object.Json();
}

OrderedJson SchemaOfAnswers(const Question& question) {
  ObjectSchema error, object;
  error.Add("error", {{"type", "string"}}, true);
  object.Add("answers",
             ListOf({{"anyOf", {SchemaOf(*question.answer), error.Json()}}}),
             true);
  return object.Json();
}

}  // namespace

std::string RequestSchema(const Question& question) {
  return DumpJson(BodySchema(question));
}

std::string AnswersSchema(const Question& question) {
  return DumpJson(SchemaOfAnswers(question));
}

std::string FieldsSchema(const FieldTable& table) {
  return DumpJson(ObjectWithFields(table));
}

std::string TypeSchema(const AnswerType& type) {
  return DumpJson(SchemaOf(type));
}

std::string DescriptionOf(const Question& question) {
  std::vector<absl::string_view> paragraphs;
  for (const absl::string_view one :
       absl::StrSplit(question.description, "\n\n")) {
    if (!absl::StartsWith(one, "  ")) paragraphs.push_back(one);
  }
  return absl::StrJoin(paragraphs, "\n\n");
}

std::string DescribeQuestions() {
  OrderedJson list = OrderedJson::array();
  for (const Question& question : Questions()) {
    OrderedJson slots = OrderedJson::array();
    for (const Slot& slot : question.slots) {
      slots.push_back({{"name", slot.name},
                       {"kind", std::string(NameOf(slot.kind))},
                       {"required", slot.required},
                       {"help", slot.help}});
    }
    list.push_back({{"name", question.name},
                    {"command", CommandOf(question)},
                    {"arguments", question.arguments},
                    {"summary", question.summary},
                    {"description", DescriptionOf(question)},
                    {"slots", std::move(slots)},
                    {"quick", question.lane == Lane::kQuick},
                    {"example", OrderedJson::parse(question.example)},
                    {"request", ObjectWithFields(*question.request)},
                    {"answer", SchemaOf(*question.answer)}});
  }
  return DumpJson(OrderedJson{{"questions", std::move(list)}});
}

}  // namespace firth
