// SentenceWords: turns a text into ids of known words or tokens, in the way of
// a sentence model.

#ifndef FIRTH_SENTENCES_SENTENCE_WORDS_H_
#define FIRTH_SENTENCES_SENTENCE_WORDS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/vocabulary.h"
#include "tokenizers/json_tokenizer.h"
#include "vectors/sentence_form.h"

namespace firth {

// Thread-safe.
class SentenceWords {
 public:
  // The words of the vocabulary, as the form spells and splits them.
  SentenceWords(SentenceForm form, Vocabulary vocabulary)
      : form_(form), vocabulary_(std::move(vocabulary)) {}
  // The tokens of a tokenizer.
  explicit SentenceWords(std::unique_ptr<JsonTokenizer> tokenizer)
      : tokenizer_(std::move(tokenizer)) {}

  // Appends the ids of the known words to *ids, and returns the number of other
  // words. Errors: those of JsonTokenizer::Encode().
  absl::StatusOr<uint64_t> Append(absl::string_view text,
                                  std::vector<uint32_t>* ids) const;

 private:
  SentenceForm form_;
  Vocabulary vocabulary_;
  std::unique_ptr<JsonTokenizer> tokenizer_;  // Null without a tokenizer.
};

}  // namespace firth

#endif  // FIRTH_SENTENCES_SENTENCE_WORDS_H_
