#include "sentences/sentence_words.h"

#include <optional>

#include "firth/status_macros.h"

namespace firth {

absl::StatusOr<uint64_t> SentenceWords::Append(
    absl::string_view text, std::vector<uint32_t>* ids) const {
  uint64_t unknown = 0;
  if (tokenizer_ != nullptr) {
    std::vector<uint32_t> tokens;
    FIRTH_RETURN_IF_ERROR(tokenizer_->Encode(text, &tokens));
    for (const uint32_t token : tokens) {
      if (token < tokenizer_->tokens().size()) {
        ids->push_back(token);
      } else {
        ++unknown;
      }
    }
    return unknown;
  }
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

}  // namespace firth
