#include "lm/chunk_words.h"

#include "lm/character_ids.h"

namespace firth {

uint32_t ChunkWords::Add(uint32_t id) {
  const TextWords::Word& word = words_[id];
  if (places_.size() < words_.size()) places_.resize(words_.size());
  uint32_t& place = places_[word.id];
  if (place != 0) return place - 1;
  added_.push_back(word.id);
  place = static_cast<uint32_t>(added_.size());
  const nn::TokenEncoderOptions& encoder = model_.options().encoder;
  if (encoder.has_table()) {
    rows_.push_back(word.row == TextWords::kNoRow ? MakeRow(word.text)
                                                  : word.row);
  }
  if (encoder.has_characters()) {
    AppendCharacterIds(word.text, encoder.char_cnn.max_characters,
                       &characters_);
  }
  return place - 1;
}

uint32_t ChunkWords::MakeRow(absl::string_view word) {
  const LanguageModelData& data = model_.data();
  const auto vector = data.n_grams.FromNGrams(word);
  if (!vector.has_value()) return kUnknownId;
  given_.insert(given_.end(), vector->begin(), vector->end());
  return static_cast<uint32_t>(data.input_words.size() +
                               given_.size() / vector->size() - 1);
}

void ChunkWords::Clear() {
  for (const uint32_t id : added_) places_[id] = 0;
  added_.clear();
  rows_.clear();
  characters_.clear();
  given_.clear();
}

}  // namespace firth
