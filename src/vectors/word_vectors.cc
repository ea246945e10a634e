#include "firth/word_vectors.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "vectors/inverse_norms.h"

namespace firth {

WordVectors::WordVectors()
    : inverse_norms_(std::make_shared<const std::vector<float>>()) {}

absl::StatusOr<WordVectors> WordVectors::Create(Vocabulary vocabulary,
                                                FloatTable table) {
  if (table.rows() != vocabulary.size() || table.cols() == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected a table with one row for each of ", vocabulary.size(),
        " words, found [", table.rows(), ", ", table.cols(), "]"));
  }
  WordVectors vectors;
  vectors.vocabulary_ = std::move(vocabulary);
  vectors.table_ = std::move(table);
  vectors.inverse_norms_ =
      std::make_shared<const std::vector<float>>(InverseNorms(vectors.table_));
  return vectors;
}

std::optional<absl::Span<const float>> WordVectors::Find(
    absl::string_view word) const {
  const std::optional<WordId> id = vocabulary_.Find(word);
  if (!id.has_value()) return std::nullopt;
  return Vector(*id);
}

}  // namespace firth
