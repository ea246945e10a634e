// Formats answers as text for people, from their tables (firth/answer.h).

#ifndef FIRTH_TOOLS_ASK_ANSWER_TEXT_H_
#define FIRTH_TOOLS_ASK_ANSWER_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "firth/answer.h"

namespace firth::tools {

struct AnswerStyle {
  uint64_t digits = 4;  // Number of decimals.
  // Whether to print the request as well, because other answers follow.
  bool labelled = false;
  // Whether to print each struct of a list as a block of lines with all of its
  // members, instead of as a row of a table.
  bool records = false;
};

// Returns whether the text of such answers has numbers with a chosen number of
// decimals. Vectors are printed with all digits.
bool HasDecimals(const AnswerType& type);
// Returns whether an answer has a value other than the texts of the request.
bool HasAnswer(const AnswerType& type, const void* answer);

// Returns an answer as complete lines for PrintStyled(). A single number or
// word is a line of its own, a list of structs is a table, and a word with its
// vector is a line as in a text file of vectors. Everything else is printed as
// a name and a value.
std::string AnswerText(const AnswerType& type, const void* answer,
                       const AnswerStyle& style);

// Returns the messages of all items in the answer's lists that have a member
// "error". Each begins with the first member of the item.
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
