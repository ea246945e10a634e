#include "lm/chunk_words.h"

#include <optional>

#include "lm/character_ids.h"

namespace firth {

uint32_t ChunkWords::Add(absl::string_view word) {
  const auto place = static_cast<uint32_t>(places_.size());
  const auto [found, is_new] = places_.try_emplace(word, place);
  if (!is_new) return found->second;
  const nn::TokenEncoderOptions& encoder = model_.options().encoder;
  if (encoder.has_table()) ids_.push_back(RowOf(word));
  if (encoder.has_characters()) {
    AppendCharacterIds(word, encoder.char_cnn.max_characters, &characters_);
  }
  return place;
}

uint32_t ChunkWords::RowOf(absl::string_view word) {
  const LanguageModelData& data = model_.data();
  const std::optional<WordId> id = data.input_words.Find(word);
  if (id.has_value()) return static_cast<uint32_t>(*id);
  const auto vector = data.n_grams.FromNGrams(word);
  if (!vector.has_value()) return kUnknownId;
  given_.insert(given_.end(), vector->begin(), vector->end());
  return static_cast<uint32_t>(data.input_words.size() +
                               given_.size() / vector->size() - 1);
}

void ChunkWords::Clear() {
  places_.clear();
  ids_.clear();
  characters_.clear();
  given_.clear();
}

}  // namespace firth
