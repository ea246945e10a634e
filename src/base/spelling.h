// The spelling of words: lower case or not, and a Unicode form. Everything that
// reads text with these options calls AppendSpelled(), so that a model and the
// questions put to it use the same words.

#ifndef FIRTH_BASE_SPELLING_H_
#define FIRTH_BASE_SPELLING_H_

#include <string>

#include "absl/strings/string_view.h"
#include "firth/normalization.h"

namespace firth {

struct Spelling {
  bool lowercase = false;
  Normalization normalize = Normalization::kNone;
};

// Whether `text` has no bytes beyond ASCII; no normalization changes it then.
bool IsAscii(absl::string_view text);

// Appends `text` in a Unicode form; bytes that are not valid UTF-8 stay as they
// are. Costs little where no character can change.
void AppendNormalized(absl::string_view text, Normalization form,
                      std::string* out);

// Whether AppendSpelled() may change `text`.
bool MayRespell(const Spelling& spelling, absl::string_view text);

// Appends `text` as it is to be read. The result does not change when it is
// spelled again.
void AppendSpelled(absl::string_view text, const Spelling& spelling,
                   std::string* out);

}  // namespace firth

#endif  // FIRTH_BASE_SPELLING_H_
