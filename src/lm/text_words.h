// What the words of a text mean to a language model, looked up once a text:
// after that, everything works with ids and hashes nothing.
//
// The ids are those of the model's marks, then one for each word.

#ifndef FIRTH_LM_TEXT_WORDS_H_
#define FIRTH_LM_TEXT_WORDS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "firth/vocabulary.h"
#include "lm/language_model.h"

namespace firth {

class TextWords {
 public:
  // `row` of a word that is not in the model's table.
  static constexpr uint32_t kNoRow = UINT32_MAX;
  struct Word {
    absl::string_view text;
    uint32_t id;      // of the mark, if the word is spelled like one, else its
                      // own
    uint32_t row;     // of the table that the model reads, or kNoRow
    uint32_t target;  // what is predicted where the word stands
  };

  // Knows the marks alone. Borrows the model, and all words that it gets.
  explicit TextWords(const BiLanguageModel& model);
  // Knows the words of a vocabulary, too: WordId w has the id FirstWord() + w.
  TextWords(const BiLanguageModel& model, const Vocabulary& vocabulary);

  // For texts that are no Corpus: the id of a word, the next one if it is new.
  uint32_t IdOf(absl::string_view word);

  // How many marks there are.
  uint32_t FirstWord() const {
    return static_cast<uint32_t>(model_.options().marks.size());
  }
  size_t size() const { return words_.size(); }
  const Word& operator[](uint32_t id) const { return words_[id]; }

 private:
  void Append(absl::string_view word);

  const BiLanguageModel& model_;
  std::vector<Word> words_;
  absl::flat_hash_map<absl::string_view, uint32_t> ids_;  // of IdOf()
};

}  // namespace firth

#endif  // FIRTH_LM_TEXT_WORDS_H_
