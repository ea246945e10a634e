// The "model" of a tokenizer.json: it divides the parts of a text into tokens.

#ifndef FIRTH_TOKENIZERS_PIECE_MODELS_H_
#define FIRTH_TOKENIZERS_PIECE_MODELS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/vocabulary.h"
#include "tokenizers/json_options.h"
#include "tokenizers/splitters.h"
#include "vocab/byte_pairs.h"

namespace firth {

// Numbers tokens: those of the vocabulary have its ids, and others, which the
// model needs although they have no vectors, the next ones. Thread-safe after
// the last Add().
class TokenIds {
 public:
  explicit TokenIds(Vocabulary vocabulary)
      : vocabulary_(std::move(vocabulary)) {}

  const Vocabulary& vocabulary() const { return vocabulary_; }
  std::optional<uint32_t> Find(absl::string_view token) const;
  // Returns the id of the token, which is a new one if it has none.
  uint32_t Add(absl::string_view token);

 private:
  Vocabulary vocabulary_;
  absl::flat_hash_map<std::string, uint32_t> others_;
};

// Memory of a thread for one model. Remembers the tokens of a limited number of
// parts.
class ModelRoom {
 public:
  // Appends the ids of a part that was remembered.
  bool Recall(absl::string_view part, std::vector<uint32_t>* ids) const;
  // Remembers the ids of a part.
  void Remember(absl::string_view part, absl::Span<const uint32_t> ids);

  struct Node {  // The best way to divide the bytes before a position.
    double score;
    size_t begin;  // Of the last token.
    uint32_t id;
    bool reached;
  };
  std::vector<Node> nodes;
  PairMerges::Room merges;
  std::string text;
  std::vector<WordId> pieces;

 private:
  struct Stored {
    size_t begin;
    size_t count;
  };
  absl::flat_hash_map<std::string, Stored> parts_;
  std::vector<uint32_t> ids_;
};

// Thread-safe.
class PieceModel {
 public:
  virtual ~PieceModel() = default;
  // Appends the ids of the tokens of all parts.
  virtual void AppendTokens(const SplitText& text, ModelRoom* room,
                            std::vector<uint32_t>* ids) const = 0;
};

// Returns the model. Tokens that are `outside`, in ascending order of their
// ids, are found in texts only as added tokens. Errors: InvalidArgument, an
// unknown kind or option, with its path.
absl::StatusOr<std::unique_ptr<PieceModel>> MakePieceModel(
    const JsonOptions& model, absl::Span<const uint32_t> outside,
    TokenIds* tokens);

// Returns the two tokens of a merge of BPE, ["a", "b"] or "a b", and the token
// that they form. The second one may begin with the prefix of tokens inside a
// part, which the third does not repeat. Errors: InvalidArgument.
absl::StatusOr<std::array<std::string, 3>> TokensOfMerge(
    const JsonOptions& merge, absl::string_view prefix);
// Returns whether an entry of "merges" is a comment, as in older files.
bool IsMergesComment(const Json& merge);

}  // namespace firth

#endif  // FIRTH_TOKENIZERS_PIECE_MODELS_H_
