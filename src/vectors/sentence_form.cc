#include "vectors/sentence_form.h"

#include "base/spelling.h"
#include "corpus/text_cleaner.h"

namespace firth {
namespace {

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

absl::Status SentenceForm::Prepare() const {
  return split_punctuation ? LoadWordBoundaries() : absl::OkStatus();
}

void SentenceForm::ForEachWord(
    absl::string_view text, std::string* scratch,
    absl::FunctionRef<void(absl::string_view word)> visit) const {
  if (split_punctuation) {
    std::string spelled;
    AppendSpelled(text, {.lowercase = lowercase}, &spelled);
    scratch->clear();
    SplitPunctuation(spelled, scratch);
    text = *scratch;
  } else if (MayRespell({.lowercase = lowercase}, text)) {
    scratch->clear();
    AppendSpelled(text, {.lowercase = lowercase}, scratch);
    text = *scratch;
  }
  for (size_t at = 0; at < text.size();) {
    while (at < text.size() && IsSpace(text[at])) ++at;
    const size_t begin = at;
    while (at < text.size() && !IsSpace(text[at])) ++at;
    if (at > begin) visit(text.substr(begin, at - begin));
  }
}

}  // namespace firth
