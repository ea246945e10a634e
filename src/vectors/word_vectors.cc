#include "firth/word_vectors.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/lazy.h"
#include "firth/status_macros.h"
#include "vectors/row_block.h"

namespace firth {

namespace {

absl::Status CheckShape(absl::string_view name, const FloatTable& table,
                        size_t rows, size_t cols) {
  if (table.rows() == rows && table.cols() == cols) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("expected a table of ", name, " with shape [", rows, ", ",
                   cols, "], found [", table.rows(), ", ", table.cols(), "]"));
}

absl::Status CheckSubwords(const SubwordTables& subwords, size_t words,
                           size_t dim) {
  if (!subwords.words.empty()) {
    FIRTH_RETURN_IF_ERROR(CheckShape("words", subwords.words, words, dim));
  }
  return CheckShape("n-grams", subwords.n_grams, subwords.index.rows(), dim);
}

}  // namespace

struct WordVectors::LazyNorms : Lazy<std::vector<float>> {};

WordVectors::WordVectors() : norms_(std::make_shared<const LazyNorms>()) {}

absl::StatusOr<WordVectors> WordVectors::Create(
    Vocabulary vocabulary, RowStore rows,
    std::optional<SubwordTables> subwords) {
  const size_t num_rows = NumRows(rows);
  const size_t dim = RowDim(rows);
  if (num_rows != vocabulary.size() || dim == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected a table with one row for each of ", vocabulary.size(),
        " words, found [", num_rows, ", ", dim, "]"));
  }
  WordVectors vectors;
  if (subwords.has_value()) {
    FIRTH_RETURN_IF_ERROR(CheckSubwords(*subwords, num_rows, dim));
    vectors.subwords_ =
        std::make_shared<const SubwordTables>(*std::move(subwords));
  }
  vectors.vocabulary_ = std::move(vocabulary);
  vectors.rows_ = std::move(rows);
  vectors.dim_ = dim;
  return vectors;
}

absl::Span<const float> WordVectors::inverse_norms() const {
  return norms_->Get([this] { return InverseNorms(rows_); });
}

std::vector<float> WordVectors::CopyVector(WordId word) const {
  std::vector<float> vector(dim_);
  CopyRow(rows_, Index(word), absl::MakeSpan(vector));
  return vector;
}

void WordVectors::CopyVector(WordId word, absl::Span<float> to) const {
  CopyRow(rows_, Index(word), to);
}

const FloatTable& WordVectors::table() const {
  FIRTH_CHECK(is_float());
  return *std::get_if<FloatTable>(&rows_);
}

absl::Span<const float> WordVectors::Vector(WordId word) const {
  return table().Row(Index(word));
}

std::optional<absl::Span<const float>> WordVectors::Find(
    absl::string_view word) const {
  const std::optional<WordId> id = vocabulary_.Find(word);
  if (!id.has_value()) return std::nullopt;
  return Vector(*id);
}

WordVectors WordVectors::WithTextEncoder(
    std::shared_ptr<const TextEncoder> text_encoder) const {
  WordVectors vectors = *this;
  vectors.text_encoder_ = std::move(text_encoder);
  return vectors;
}

std::vector<NGramVector> NGramVectors(const SubwordTables& subwords,
                                      absl::string_view word) {
  std::vector<NGramVector> vectors;
  for (const auto& [n_gram, rows] : subwords.index.NGrams(word)) {
    std::vector<float> mean(subwords.n_grams.cols());
    if (!rows.empty()) {
      AverageRows(subwords.n_grams, rows, rows.size(), absl::MakeSpan(mean));
    }
    vectors.push_back({n_gram, std::move(mean)});
  }
  return vectors;
}

std::optional<std::vector<float>> WordVectors::FromNGrams(
    absl::string_view word) const {
  if (subwords_ == nullptr) return std::nullopt;
  std::vector<uint32_t> rows;
  const size_t count = subwords_->index.AppendRows(word, &rows);
  if (rows.empty()) return std::nullopt;
  std::vector<float> mean(dim());
  AverageRows(subwords_->n_grams, rows, count, absl::MakeSpan(mean));
  const bool finite = std::all_of(mean.begin(), mean.end(), [](float value) {
    return std::isfinite(value);
  });
  return finite ? std::optional(std::move(mean)) : std::nullopt;
}

}  // namespace firth
