// SentenceWords: turns a text into ids of known words, in the form of a
// sentence model.

#ifndef FIRTH_SENTENCES_SENTENCE_WORDS_H_
#define FIRTH_SENTENCES_SENTENCE_WORDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "firth/vocabulary.h"
#include "vectors/sentence_form.h"

namespace firth {

class SentenceWords {
 public:
  SentenceWords(SentenceForm form, Vocabulary vocabulary)
      : form_(form), vocabulary_(std::move(vocabulary)) {}

  const Vocabulary& vocabulary() const { return vocabulary_; }

  // Appends the ids of the known words, and returns the number of other words.
  // Thread-safe.
  uint64_t Append(absl::string_view text, std::vector<uint32_t>* ids) const {
    uint64_t unknown = 0;
    std::string scratch;
    form_.ForEachWord(text, &scratch, [&](absl::string_view word) {
      const std::optional<WordId> id = vocabulary_.Find(word);
      if (id.has_value()) {
        ids->push_back(Index(*id));
      } else {
        ++unknown;
      }
    });
    return unknown;
  }

 private:
  SentenceForm form_;
  Vocabulary vocabulary_;
};

}  // namespace firth

#endif  // FIRTH_SENTENCES_SENTENCE_WORDS_H_
