// The words of a text with their ids in a language model. Each word is looked
// up once per text, so that all further work uses ids instead of hashing.
//
// The ids are those of the model's marks, followed by one for each word.

#ifndef FIRTH_LM_MODEL_TEXT_WORDS_H_
#define FIRTH_LM_MODEL_TEXT_WORDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/corpus.h"
#include "firth/vocabulary.h"
#include "lm/model/language_model.h"
#include "nn/token_encoder.h"

namespace firth {

// Returns the words that a model of this text predicts: the marks and the most
// frequent words, with their counts. Other words are counted as kUnknownId, and
// so are those in `excluded`. The words of the text must be in the order of
// their counts.
absl::StatusOr<Vocabulary> PredictedWords(
    absl::Span<const std::string> marks, const VocabularyOptions& options,
    const Corpus& text, absl::Span<const absl::string_view> excluded = {});

// Returns the id of a word of a text among the predicted words, or kUnknownId,
// also for words that are spelled like <S> and </S>.
uint32_t PredictedIdOf(const Vocabulary& predicted, absl::string_view word);
// Returns the ids of all words of a vocabulary.
std::vector<uint32_t> PredictedIdsOf(const Vocabulary& predicted,
                                     const Vocabulary& vocabulary);

class TextWords {
 public:
  // Value of `row` for a word that is not in the model's table.
  static constexpr uint32_t kNoRow = UINT32_MAX;
  struct Word {
    absl::string_view text;
    uint32_t id;      // of the mark, if the word is spelled like one, otherwise
                      // its own
    uint32_t row;     // of the table that the model reads, or kNoRow
    uint32_t target;  // what is predicted at this word
  };

  // Starts with the marks. Borrows the model and all words that it gets.
  explicit TextWords(const BiLanguageModel& model);
  // Starts with the marks and a vocabulary: WordId w has id FirstWord() + w.
  TextWords(const BiLanguageModel& model, const Vocabulary& vocabulary);

  // For texts that are not a Corpus: returns a word's id, and adds new words.
  uint32_t IdOf(absl::string_view word);

  // Returns the number of marks.
  uint32_t FirstWord() const {
    return static_cast<uint32_t>(model_.options().marks.size());
  }
  size_t size() const { return words_.size(); }
  const Word& operator[](uint32_t id) const { return words_[id]; }

 private:
  void Append(absl::string_view word);

  const BiLanguageModel& model_;
  std::vector<Word> words_;
  absl::flat_hash_map<absl::string_view, uint32_t> ids_;  // for IdOf()
};

// The distinct words of a chunk, in the form that the token encoder reads.

// Borrows both arguments.
class ChunkWords {
 public:
  ChunkWords(const BiLanguageModel& model, const TextWords& words)
      : model_(model), words_(words) {}

  // Returns the position of this word in batch(). Adds the word if it is new.
  uint32_t Add(uint32_t id);
  // Valid until the next call of another method.
  nn::TokenBatch batch() const { return {rows_, characters_, given_}; }
  size_t size() const { return added_.size(); }
  void Clear();

 private:
  // Returns the row for a word that is not in the table: a vector built from
  // its n-grams, or the row of kUnknown.
  uint32_t MakeRow(absl::string_view word);

  const BiLanguageModel& model_;
  const TextWords& words_;
  std::vector<uint32_t> places_;  // [ids] 1 + position; 0 means none
  std::vector<uint32_t> added_;   // ids that have a position
  std::vector<uint32_t> rows_;
  std::vector<uint16_t> characters_;
  std::vector<float> given_;
};

}  // namespace firth

#endif  // FIRTH_LM_MODEL_TEXT_WORDS_H_
