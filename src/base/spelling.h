// The spelling of words: whether they are in lower case, and their Unicode
// form. All code that reads text with these options calls AppendSpelled(), so
// that a model and queries to it use the same words.

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

// Returns whether all bytes of `text` are ASCII. Normalization does not change
// such a text.
bool IsAscii(absl::string_view text);

// Appends `text` in a Unicode form. Invalid UTF-8 is copied unchanged. The cost
// is small if no character can change.
void AppendNormalized(absl::string_view text, Normalization form,
                      std::string* out);

// Returns whether AppendSpelled() may change `text`.
bool MayRespell(const Spelling& spelling, absl::string_view text);

// Appends `text` in the given spelling. Applying it again does not change the
// result.
void AppendSpelled(absl::string_view text, const Spelling& spelling,
                   std::string* out);

}  // namespace firth

#endif  // FIRTH_BASE_SPELLING_H_
