// The distinct words of a chunk, in the form that the token encoder reads.

#ifndef FIRTH_LM_CHUNK_WORDS_H_
#define FIRTH_LM_CHUNK_WORDS_H_

#include <cstdint>
#include <vector>

#include "lm/language_model.h"
#include "lm/text_words.h"
#include "nn/token_encoder.h"

namespace firth {

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

#endif  // FIRTH_LM_CHUNK_WORDS_H_
