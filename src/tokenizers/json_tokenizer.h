// Divides texts into tokens like the tokenizers library of Hugging Face, by the
// tokenizer.json that it writes:
//
//   added_tokens    are found in the text first, or after normalization
//   normalizer      changes the text between them (tokenizers/normalizers.h)
//   pre_tokenizer   splits it into parts (tokenizers/splitters.h)
//   model           divides each part into tokens (tokenizers/piece_models.h)
//
// Special tokens are not added to a text, so "post_processor" is ignored, and
// so are "truncation", "padding" and "decoder".

#ifndef FIRTH_TOKENIZERS_JSON_TOKENIZER_H_
#define FIRTH_TOKENIZERS_JSON_TOKENIZER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "firth/vocabulary.h"

namespace firth {

// Immutable and thread-safe.
class JsonTokenizer {
 public:
  // Creates a tokenizer. `json` is a tokenizer.json; the vocabulary in it is
  // replaced by `tokens`, except that the model Unigram takes the scores from
  // there. Errors: InvalidArgument, an unknown kind or option, or an invalid
  // regular expression, with the path in the JSON; FailedPrecondition, ICU,
  // which regular expressions need, is missing.
  static absl::StatusOr<std::unique_ptr<JsonTokenizer>> Create(
      const Json& json, Vocabulary tokens);
  ~JsonTokenizer();

  // Sets *ids to the tokens of a text. Ids from tokens().size() on are those of
  // tokens that the vocabulary lacks, such as the one for unknown words.
  // Errors: InvalidArgument, the text takes too much time or memory.
  absl::Status Encode(absl::string_view text, std::vector<uint32_t>* ids) const;

  const Vocabulary& tokens() const;

 private:
  struct Body;
  struct Room;
  explicit JsonTokenizer(std::unique_ptr<Body> body);
  absl::Status EncodeIn(absl::string_view text, Room* room,
                        std::vector<uint32_t>* ids) const;

  std::unique_ptr<Body> body_;
};

}  // namespace firth

#endif  // FIRTH_TOKENIZERS_JSON_TOKENIZER_H_
