// From what a user asks to the vectors of a model that it means.

#ifndef FIRTH_TOOLS_QUERY_FIND_QUESTION_H_
#define FIRTH_TOOLS_QUERY_FIND_QUESTION_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "firth/evaluate.h"
#include "query/asked_words.h"
#include "query/word_questions.h"

namespace firth::tools {

// Errors: InvalidArgument, a question of this kind does not have so many words.
absl::Status CheckCount(const QuestionKind& kind, size_t words);

// `unknown`: what becomes of words that the model lacks. Errors: NotFound, such
// a word has no vector; InvalidArgument, too few or too many words or numbers,
// nothing but zeros.
absl::StatusOr<Question> FindQuestion(const QuestionKind& kind,
                                      const Source& source, const Asked& asked,
                                      UnknownWords unknown);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_QUERY_FIND_QUESTION_H_
