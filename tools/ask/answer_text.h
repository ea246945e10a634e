// Answers as text for people, from their tables (firth/answer.h).

#ifndef FIRTH_TOOLS_ASK_ANSWER_TEXT_H_
#define FIRTH_TOOLS_ASK_ANSWER_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "firth/answer.h"

namespace firth::tools {

struct AnswerStyle {
  uint64_t digits = 4;  // Decimals of a number.
  // Whether to print what was asked as well, because more answers follow.
  bool labelled = false;
  // Whether to print each struct of a list as a block of lines with all of its
  // members, instead of as a row of a table.
  bool records = false;
};

// Returns whether the text of such answers has numbers whose decimals are
// rounded. Vectors are printed with all digits.
bool HasDecimals(const AnswerType& type);
// Returns whether an answer has a value other than the texts of the request.
bool HasAnswer(const AnswerType& type, const void* answer);

// Returns whole lines for PrintStyled(): a single number or word on its own, a
// list of structs as a table, a vector after a word as in a text file of
// vectors, everything else as "name  value".
std::string AnswerText(const AnswerType& type, const void* answer,
                       const AnswerStyle& style);

// Returns the messages of those items in the answer's lists that have an
// "error", each after the first member of the item.
std::vector<std::string> ErrorsIn(const AnswerType& type, const void* answer);

// Returns a pointer to the member of this name, or null.
template <class T>
const T* FindMember(const AnswerType& type, const void* answer,
                    absl::string_view name) {
  for (const AnswerMember& member : *type.members) {
    if (member.name == name && member.type == &AnswerTypeOf<T>()) {
      return static_cast<const T*>(member.of(answer));
    }
  }
  return nullptr;
}

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_ASK_ANSWER_TEXT_H_
