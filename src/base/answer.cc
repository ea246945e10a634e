#include "firth/answer.h"

#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/unicode.h"

namespace firth {
namespace {

template <class Real>
void AppendReal(Real value, std::string* json) {
  if (!std::isfinite(value)) {
    json->append("null");
    return;
  }
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof(digits), value);
  json->append(digits, end.ptr);
}

void AppendEscaped(char byte, std::string* json) {
  switch (byte) {
    case '"':
      json->append("\\\"");
      return;
    case '\\':
      json->append("\\\\");
      return;
    case '\b':
      json->append("\\b");
      return;
    case '\f':
      json->append("\\f");
      return;
    case '\n':
      json->append("\\n");
      return;
    case '\r':
      json->append("\\r");
      return;
    case '\t':
      json->append("\\t");
      return;
    default:
      if (static_cast<unsigned char>(byte) < 0x20) {
        absl::StrAppendFormat(json, "\\u%04x", byte);
      } else {
        json->push_back(byte);
      }
  }
}

void AppendList(const AnswerType& type, const void* list, std::string* json) {
  json->push_back('[');
  const size_t size = type.size(list);
  for (size_t i = 0; i < size; ++i) {
    if (i > 0) json->push_back(',');
    AppendAnswerJson(*type.item, type.at(list, i), json);
  }
  json->push_back(']');
}

void AppendStruct(const AnswerTable& table, const void* answer,
                  std::string* json) {
  char separator = '{';
  for (const AnswerMember& member : table.members()) {
    json->push_back(separator);
    separator = ',';
    AppendJsonText(member.name, json);
    json->push_back(':');
    AppendAnswerJson(*member.type, member.of(answer), json);
  }
  json->append(separator == '{' ? "{}" : "}");
}

}  // namespace

AnswerMember& AnswerMember::Unlisted() {
  listed = false;
  return *this;
}

AnswerMember& AnswerMember::LabelledBy(absl::string_view member) {
  labels = std::string(member);
  return *this;
}

void AppendJsonNumber(float value, std::string* json) {
  AppendReal(value, json);
}

void AppendJsonNumber(double value, std::string* json) {
  AppendReal(value, json);
}

void AppendJsonText(absl::string_view text, std::string* json) {
  std::string valid;
  AppendReplacingInvalid(text, &valid);
  json->push_back('"');
  for (const char byte : valid) AppendEscaped(byte, json);
  json->push_back('"');
}

void AppendAnswerJson(const AnswerType& type, const void* value,
                      std::string* json) {
  switch (type.kind) {
    case AnswerKind::kList:
      return AppendList(type, value, json);
    case AnswerKind::kStruct:
      return AppendStruct(*type.members, value, json);
    case AnswerKind::kOptional:
      if (type.size(value) > 0) {
        return AppendAnswerJson(*type.item, type.at(value, 0), json);
      }
      json->append("null");
      return;
    default:
      return type.append(value, json);
  }
}

namespace answer_internal {

void AppendWhole(int64_t value, std::string* json) {
  absl::StrAppend(json, value);
}

void AppendWhole(uint64_t value, std::string* json) {
  absl::StrAppend(json, value);
}

}  // namespace answer_internal

}  // namespace firth
