#include "vocab/unicode_forms.h"

#include <cstddef>

#include "base/spelling.h"

namespace firth {

WordsInTwoForms FindWordsInTwoForms(const Vocabulary& vocabulary) {
  WordsInTwoForms found;
  std::string composed;
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const absl::string_view word = vocabulary.Word(ToWordId(i));
    if (IsAscii(word)) continue;
    composed.clear();
    AppendNormalized(word, Normalization::kNfc, &composed);
    if (composed == word || !vocabulary.Find(composed).has_value()) continue;
    if (found.words++ == 0) found.example = composed;
  }
  return found;
}

}  // namespace firth
