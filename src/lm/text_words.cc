#include "lm/text_words.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace firth {

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

}  // namespace firth
