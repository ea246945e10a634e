// WordVectors: one vector a word. What training makes and queries read.

#ifndef FIRTH_WORD_VECTORS_H_
#define FIRTH_WORD_VECTORS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/matrix.h"
#include "firth/vocabulary.h"
#include "firth/word_id.h"

namespace firth {

// Immutable and cheap to copy.
class WordVectors {
 public:
  WordVectors();

  // table: [vocabulary.size(), dim], read once, for the norms. Errors:
  // InvalidArgument when the number of rows is another or dim is 0.
  static absl::StatusOr<WordVectors> Create(Vocabulary vocabulary,
                                            FloatTable table);

  size_t size() const { return vocabulary_.size(); }
  size_t dim() const { return table_.cols(); }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  const FloatTable& table() const { return table_; }

  absl::Span<const float> Vector(WordId word) const {
    return table_.Row(Index(word));
  }
  // 1 / |vector| of each word; 0 where the norm is no normal float (of a zero
  // vector, of values that are not finite): such a word's cosines are all 0.
  absl::Span<const float> inverse_norms() const { return *inverse_norms_; }
  // The vector of `word`, or nothing if it is not in the vocabulary.
  std::optional<absl::Span<const float>> Find(absl::string_view word) const;

 private:
  Vocabulary vocabulary_;
  FloatTable table_;
  std::shared_ptr<const std::vector<float>> inverse_norms_;
};

}  // namespace firth

#endif  // FIRTH_WORD_VECTORS_H_
