// SentenceForm: how a sentence model turns a text into words.

#ifndef FIRTH_VECTORS_SENTENCE_FORM_H_
#define FIRTH_VECTORS_SENTENCE_FORM_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

struct SentenceForm {
  bool lowercase = false;          // Convert to lower case, by Unicode.
  bool split_punctuation = false;  // Split at Unicode's word boundaries.

  // Loads what the form requires. Errors: FailedPrecondition, ICU is missing.
  absl::Status Prepare() const;

  // Calls visit(word) for each word. Prepare() must have succeeded. `scratch`
  // holds the words until the next call.
  void ForEachWord(absl::string_view text, std::string* scratch,
                   absl::FunctionRef<void(absl::string_view word)> visit) const;
};

}  // namespace firth

#endif  // FIRTH_VECTORS_SENTENCE_FORM_H_
