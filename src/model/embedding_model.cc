#include "model/embedding_model.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/rng.h"
#include "base/status_macros.h"
#include "vectors/row_mean.h"

namespace firth {
namespace {

AlignedMatrix RandomInput(const ModelShape& shape, uint64_t seed) {
  const size_t rows = shape.input_rows();
  const size_t dim = shape.dim;
  AlignedMatrix matrix(rows, dim);
  const float range = shape.input_range > 0 ? shape.input_range
                                            : 0.5f / static_cast<float>(dim);
#pragma omp parallel for schedule(static)
  for (size_t row = 0; row < rows; ++row) {
    Rng rng(CombineKeys(seed, row));
    float* values = matrix.Row(row);
    for (size_t i = 0; i < dim; ++i) {
      values[i] = (2 * rng.NextFloat() - 1) * range;
    }
  }
  return matrix;
}

AlignedMatrix Biases(const ModelShape& shape) {
  if (!shape.output_bias.has_value()) return {};
  AlignedMatrix bias(1, shape.output_rows);
  std::fill_n(bias.Row(0), shape.output_rows, *shape.output_bias);
  return bias;
}

bool AllFinite(const float* values, size_t count) {
  return std::all_of(values, values + count,
                     [](float value) { return std::isfinite(value); });
}

// The first row with a value that is not finite, or rows().
size_t FirstBadRow(const AlignedMatrix& matrix) {
  size_t row = 0;
  while (row < matrix.rows() && AllFinite(matrix.Row(row), matrix.dim())) ++row;
  return row;
}

absl::Status CheckFinite(const AlignedMatrix& matrix, absl::string_view table,
                         const Vocabulary& vocabulary) {
  const size_t row = FirstBadRow(matrix);
  if (row == matrix.rows()) return absl::OkStatus();
  const bool is_word = matrix.rows() == vocabulary.size();
  return absl::OutOfRangeError(absl::StrCat(
      "after training, row ", row, " of the ", table, " table",
      is_word ? absl::StrCat(" (word \"", vocabulary.Word(ToWordId(row)), "\")")
              : "",
      ": expected finite values, found NaN or infinity; the learning rate is "
      "probably too high"));
}

FloatTable ToTable(AlignedMatrix matrix) {
  auto owner = std::make_shared<const AlignedMatrix>(std::move(matrix));
  return FloatTable(owner->data(), owner->rows(), owner->dim(), owner->stride(),
                    owner);
}

}  // namespace

EmbeddingModel::EmbeddingModel(const ModelShape& shape, uint64_t seed,
                               std::optional<ModelSubwords> subwords)
    : subwords_(std::move(subwords)),
      input_(RandomInput(shape, seed)),
      output_(AlignedMatrix(shape.output_rows, shape.dim)),
      output_bias_(Biases(shape)) {
  FIRTH_CHECK(shape.n_gram_rows ==
              (subwords_.has_value() ? subwords_->index.rows() : 0));
}

void EmbeddingModel::CopyInput(WordId word, float* to) const {
  const AlignedMatrix& table = input_.Quiet();
  if (!subwords_.has_value()) {
    std::copy_n(table.Row(Index(word)), padded_dim(), to);
    return;
  }
  const auto rows = subwords_->composition.RowsOf(word);
  const FloatTable padded(table.data(), table.rows(), padded_dim(),
                          table.stride(), nullptr);
  std::fill_n(to, padded_dim(), 0.0f);
  FinishMean(padded, rows, rows.size(), absl::MakeSpan(to, padded_dim()));
}

AlignedMatrix EmbeddingModel::Compose(size_t vocab_size) const {
  AlignedMatrix vectors(vocab_size, dim());
#pragma omp parallel for schedule(static)
  for (size_t word = 0; word < vocab_size; ++word) {
    CopyInput(ToWordId(word), vectors.Row(word));
  }
  return vectors;
}

absl::StatusOr<EmbeddingModel::Frozen> EmbeddingModel::Freeze(
    EmbeddingModel model, const Vocabulary& vocabulary) {
  FIRTH_RETURN_IF_ERROR(CheckFinite(model.input_.Quiet(), "input", vocabulary));
  FIRTH_RETURN_IF_ERROR(
      CheckFinite(model.output_.Quiet(), "output", vocabulary));
  FIRTH_RETURN_IF_ERROR(
      CheckFinite(model.output_bias_.Quiet(), "output bias", vocabulary));
  Frozen frozen;
  frozen.output = ToTable(std::move(model.output_).Release());
  if (model.has_output_bias()) {
    frozen.output_bias = ToTable(std::move(model.output_bias_).Release());
  }
  std::optional<SubwordTables> subwords;
  FloatTable vectors;
  if (model.subwords_.has_value()) {
    vectors = ToTable(model.Compose(vocabulary.size()));
    const FloatTable rows = ToTable(std::move(model.input_).Release());
    const SubwordIndex& index = model.subwords_->index;
    const size_t word_rows = rows.rows() - index.rows();
    subwords = SubwordTables{index, rows.Rows(0, word_rows),
                             rows.Rows(word_rows, index.rows())};
  } else {
    vectors = ToTable(std::move(model.input_).Release());
  }
  FIRTH_ASSIGN_OR_RETURN(
      frozen.vectors,
      WordVectors::Create(vocabulary, std::move(vectors), std::move(subwords)));
  return frozen;
}

uint64_t ModelBytes(const ModelShape& shape) {
  const uint64_t row = PaddedDim(shape.dim) * sizeof(float);
  const uint64_t bias =
      shape.output_bias.has_value() ? shape.output_rows * sizeof(float) : 0;
  // The vectors of words with n-grams are written out at the end.
  const uint64_t vectors = shape.n_gram_rows > 0 ? shape.vocab_size : 0;
  return (uint64_t{shape.input_rows()} + shape.output_rows + vectors) * row +
         bias;
}

}  // namespace firth
