// Answer structs that describe their own members.
//
// The answer to a question is a struct. A static function lists its members:
//
//   struct WordScore {
//     std::string word;
//     float score = 0;
//
//     static AnswerTable Members() {
//       return {{"word", &WordScore::word},
//               {"score", &WordScore::score, "cosine, from -1 to 1"}};
//     }
//   };
//
// The JSON of an answer, its schema and its types in other languages are all
// derived from this list. Members are flags, whole numbers, floats, doubles,
// texts, structs with Members(), and vectors, arrays and optionals of all of
// these. A table may contain members of the first base class, which has the
// same address. Unlike fields (firth/fields.h), members are only written, never
// read.

#ifndef FIRTH_ANSWER_H_
#define FIRTH_ANSWER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/string_view.h"

namespace firth {

struct AnswerMember;
using AnswerTable = std::vector<AnswerMember>;

enum class AnswerKind {
  kFlag,
  kWhole,
  kReal,
  kText,
  kOptional,
  kList,
  kStruct,
};

// The type of a member. Objects of this struct exist until the program ends.
struct AnswerType {
  AnswerKind kind;
  // Type of the items of a kList and of the value of a kOptional.
  const AnswerType* item = nullptr;
  // Members of a kStruct.
  const AnswerTable* members = nullptr;
  double (*number)(const void* value) = nullptr;           // Value of a kReal.
  absl::string_view (*text)(const void* value) = nullptr;  // Text of a kText.
  // Appends the JSON of a flag, number or text.
  void (*append)(const void* value, std::string* json) = nullptr;
  // Number of items of a kList; 0 or 1 for a kOptional.
  size_t (*size)(const void* value) = nullptr;
  const void* (*at)(const void* value, size_t index) = nullptr;
};

// Appends the shortest decimal form that reads back as the same number, or
// "null" for NaN and infinity.
void AppendJsonNumber(float value, std::string* json);
void AppendJsonNumber(double value, std::string* json);
// Appends the text as a JSON string. Bytes that are not valid UTF-8 become
// U+FFFD.
void AppendJsonText(absl::string_view text, std::string* json);

template <class T>
const AnswerType& AnswerTypeOf();

// Output formats that include a member.
enum class Listing {
  kEverywhere,
  kInJson,  // JSON, but not the text output.
};

struct AnswerMember {
  // `help` is a phrase in lower case; it may be empty if the name is clear
  // enough.
  template <class Struct, class Value>
  AnswerMember(absl::string_view its_name, Value Struct::*member,
               absl::string_view its_help = "",
               Listing listing = Listing::kEverywhere)
      : name(its_name),
        help(its_help),
        type(&AnswerTypeOf<Value>()),
        listed(listing == Listing::kEverywhere) {
    const Struct answer;
    offset = reinterpret_cast<const char*>(&(answer.*member)) -
             reinterpret_cast<const char*>(&answer);
  }
  // Marks this member as a square matrix. The names of its rows and columns are
  // in `member`, a list of texts in the same answer.
  AnswerMember& LabelledBy(absl::string_view member) {
    labels = std::string(member);
    return *this;
  }

  // Returns a pointer to the member in an answer.
  const void* of(const void* answer) const {
    return static_cast<const char*>(answer) + offset;
  }

  std::string name;
  std::string help;
  const AnswerType* type;
  ptrdiff_t offset = 0;  // Offset of the member in its struct, in bytes.
  bool listed;
  std::string labels = {};  // See LabelledBy().
};

// Appends the JSON of a value of this type on one line. Members appear in the
// order of their table; a member without a value is null.
void AppendAnswerJson(const AnswerType& type, const void* value,
                      std::string* json);

template <class T>
std::string AnswerJson(const T& answer) {
  std::string json;
  AppendAnswerJson(AnswerTypeOf<T>(), &answer, &json);
  return json;
}

namespace answer_internal {

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};
template <class T, size_t kSize>
struct IsList<std::array<T, kSize>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

void AppendWhole(int64_t value, std::string* json);
void AppendWhole(uint64_t value, std::string* json);

template <class T>
void AppendScalar(const void* value, std::string* json) {
  const T& scalar = *static_cast<const T*>(value);
  if constexpr (std::is_same_v<T, bool>) {
    json->append(scalar ? "true" : "false");
  } else if constexpr (std::is_floating_point_v<T>) {
    AppendJsonNumber(scalar, json);
  } else if constexpr (std::is_signed_v<T>) {
    AppendWhole(int64_t{scalar}, json);
  } else if constexpr (std::is_unsigned_v<T>) {
    AppendWhole(uint64_t{scalar}, json);
  } else {
    AppendJsonText(scalar, json);
  }
}

template <class T>
AnswerType MakeAnswerType() {
  if constexpr (IsList<T>::value) {
    static_assert(!std::is_same_v<T, std::vector<bool>>,
                  "std::vector<bool> has no elements to point to");
    return {.kind = AnswerKind::kList,
            .item = &AnswerTypeOf<typename T::value_type>(),
            .size =
                [](const void* list) {
                  return static_cast<const T*>(list)->size();
                },
            .at = [](const void* list, size_t index) -> const void* {
              return &(*static_cast<const T*>(list))[index];
            }};
  } else if constexpr (IsOptional<T>::value) {
    return {.kind = AnswerKind::kOptional,
            .item = &AnswerTypeOf<typename T::value_type>(),
            .size = [](const void* value) -> size_t {
              return static_cast<const T*>(value)->has_value() ? 1 : 0;
            },
            .at = [](const void* value, size_t) -> const void* {
              return &**static_cast<const T*>(value);
            }};
  } else if constexpr (std::is_same_v<T, bool>) {
    return {.kind = AnswerKind::kFlag, .append = &AppendScalar<T>};
  } else if constexpr (std::is_integral_v<T>) {
    return {.kind = AnswerKind::kWhole, .append = &AppendScalar<T>};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {.kind = AnswerKind::kReal,
            .number = [](const void* value) -> double {
              return *static_cast<const T*>(value);
            },
            .append = &AppendScalar<T>};
  } else if constexpr (std::is_same_v<T, std::string> ||
                       std::is_same_v<T, absl::string_view>) {
    return {.kind = AnswerKind::kText,
            .text = [](const void* value) -> absl::string_view {
              return *static_cast<const T*>(value);
            },
            .append = &AppendScalar<T>};
  } else {
    static const AnswerTable* const members = new AnswerTable(T::Members());
    return {.kind = AnswerKind::kStruct, .members = members};
  }
}

}  // namespace answer_internal

template <class T>
const AnswerType& AnswerTypeOf() {
  static const AnswerType type = answer_internal::MakeAnswerType<T>();
  return type;
}

}  // namespace firth

#endif  // FIRTH_ANSWER_H_
