#include "lm/model/text_words.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "corpus/token_stream.h"
#include "lm/model/character_ids.h"

namespace firth {

absl::StatusOr<Vocabulary> PredictedWords(
    absl::Span<const std::string> marks, const VocabularyOptions& options,
    const Corpus& text, absl::Span<const absl::string_view> excluded) {
  std::vector<absl::string_view> words(marks.begin(), marks.end());
  std::vector<uint64_t> counts(marks.size());
  counts[kBeginSentenceId] = counts[kEndSentenceId] = static_cast<uint64_t>(
      absl::c_count(text.tokens->tokens(), TokenStream::kSentenceEnd));
  for (size_t i = 0; i < text.vocabulary.size(); ++i) {
    const absl::string_view word = text.vocabulary.Word(ToWordId(i));
    const uint64_t count = text.vocabulary.Count(ToWordId(i));
    const bool full = options.max_vocab > 0 &&
                      words.size() >= options.max_vocab + marks.size();
    if (count < options.min_count || full ||
        absl::c_linear_search(marks, word) ||
        absl::c_linear_search(excluded, word)) {
      counts[kUnknownId] += count;
    } else {
      words.push_back(word);
      counts.push_back(count);
    }
  }
  return Vocabulary::Create(words, std::move(counts));
}

uint32_t PredictedIdOf(const Vocabulary& predicted, absl::string_view word) {
  const std::optional<WordId> id = predicted.Find(word);
  if (!id.has_value()) return kUnknownId;
  return std::max(static_cast<uint32_t>(*id), kUnknownId);
}

std::vector<uint32_t> PredictedIdsOf(const Vocabulary& predicted,
                                     const Vocabulary& vocabulary) {
  std::vector<uint32_t> ids;
  ids.reserve(vocabulary.size());
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    ids.push_back(PredictedIdOf(predicted, vocabulary.Word(ToWordId(i))));
  }
  return ids;
}

TextWords::TextWords(const BiLanguageModel& model) : model_(model) {
  for (const std::string& mark : model.options().marks) IdOf(mark);
}

TextWords::TextWords(const BiLanguageModel& model, const Vocabulary& vocabulary)
    : TextWords(model) {
  words_.reserve(FirstWord() + vocabulary.size());
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    Append(vocabulary.Word(ToWordId(i)));
  }
}

uint32_t TextWords::IdOf(absl::string_view word) {
  const auto next = static_cast<uint32_t>(words_.size());
  const auto [found, is_new] = ids_.try_emplace(word, next);
  if (is_new) Append(word);
  return found->second;
}

void TextWords::Append(absl::string_view word) {
  const std::vector<std::string>& marks = model_.options().marks;
  const auto mark = std::find(marks.begin(), marks.end(), word);
  const size_t id = mark == marks.end()
                        ? words_.size()
                        : static_cast<size_t>(mark - marks.begin());
  const std::optional<WordId> row = model_.data().input_words.Find(word);
  words_.push_back({word, static_cast<uint32_t>(id),
                    row.has_value() ? static_cast<uint32_t>(*row) : kNoRow,
                    model_.TargetOf(word)});
}

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
