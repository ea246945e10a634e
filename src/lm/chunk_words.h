// The different words of a chunk, as the token encoder takes them.

#ifndef FIRTH_LM_CHUNK_WORDS_H_
#define FIRTH_LM_CHUNK_WORDS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "lm/language_model.h"
#include "nn/token_encoder.h"

namespace firth {

// Borrows the model and, until Clear(), the words.
class ChunkWords {
 public:
  explicit ChunkWords(const BiLanguageModel& model) : model_(model) {}

  // The place of the word in batch(), which it gets if it is new.
  uint32_t Add(absl::string_view word);
  // Valid until the next call of another method.
  nn::TokenBatch batch() const { return {ids_, characters_, given_}; }
  size_t size() const { return places_.size(); }
  void Clear();

 private:
  uint32_t RowOf(absl::string_view word);

  const BiLanguageModel& model_;
  absl::flat_hash_map<absl::string_view, uint32_t> places_;
  std::vector<uint32_t> ids_;
  std::vector<uint16_t> characters_;
  std::vector<float> given_;
};

}  // namespace firth

#endif  // FIRTH_LM_CHUNK_WORDS_H_
