// A word's input vector is its row of the input table or, if words have
// n-grams, the mean of its own row and theirs. The functions here hide this
// difference from code that reads and sets vectors while no worker runs.
// Training itself works on the rows.

#include "model/embedding_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/parallel_exceptions.h"
#include "base/rng.h"
#include "firth/status_macros.h"
#include "vectors/principal_components.h"
#include "vectors/row_block.h"

namespace firth {
namespace {

// Returns a table [rows, dim] of the model.
PaddedMatrix Zeros(const ModelShape& shape, size_t rows) {
  return shape.is_share() ? PaddedMatrix(rows, shape.dim, WithoutPadding())
                          : PaddedMatrix(rows, shape.dim);
}

PaddedMatrix RandomInput(const ModelShape& shape, uint64_t seed) {
  const size_t rows = shape.input_rows();
  const size_t dim = shape.dim;
  PaddedMatrix matrix = Zeros(shape, rows);
  const size_t whole_dim = shape.is_share() ? shape.whole_dim : dim;
  const float range = shape.input_range > 0
                          ? shape.input_range
                          : 0.5f / static_cast<float>(whole_dim);
#pragma omp parallel for schedule(static)
  for (size_t row = 0; row < rows; ++row) {
    Rng rng(CombineKeys(seed, row));
    float* values = matrix.Row(row);
    for (size_t i = 0; i < shape.first_column; ++i) rng.NextFloat();
    for (size_t i = 0; i < dim; ++i) {
      values[i] = (2 * rng.NextFloat() - 1) * range;
    }
  }
  return matrix;
}

PaddedMatrix Biases(const ModelShape& shape) {
  if (!shape.output_bias.has_value()) return {};
  PaddedMatrix bias(1, shape.output_rows);
  std::fill_n(bias.Row(0), shape.output_rows, *shape.output_bias);
  return bias;
}

PaddedMatrix PositionWeights(const ModelShape& shape) {
  if (shape.position_weights.empty()) return {};
  PaddedMatrix weights(shape.position_weights.size(), shape.dim);
  for (size_t position = 0; position < weights.rows(); ++position) {
    std::fill_n(weights.Row(position), shape.dim,
                shape.position_weights[position]);
  }
  return weights;
}

bool AllFinite(const float* values, size_t count) {
  return std::all_of(values, values + count,
                     [](float value) { return std::isfinite(value); });
}

// Returns the first row with a value that is not finite, or rows().
size_t FirstBadRow(const PaddedMatrix& matrix) {
  size_t row = 0;
  while (row < matrix.rows() && AllFinite(matrix.Row(row), matrix.cols()))
    ++row;
  return row;
}

absl::Status CheckFinite(const PaddedMatrix& matrix, absl::string_view table,
                         const Vocabulary& vocabulary) {
  const size_t row = FirstBadRow(matrix);
  if (row == matrix.rows()) return absl::OkStatus();
  const bool is_word = matrix.rows() == vocabulary.size();
  return absl::OutOfRangeError(absl::StrCat(
      "after training, row ", row, " of the ", table, " table",
      is_word ? absl::StrCat(" (word \"", vocabulary.Word(ToWordId(row)), "\")")
              : "",
      " contains NaN or infinity; the learning rate is probably too high"));
}

PaddedMatrix CopyOf(const PaddedMatrix& matrix) {
  PaddedMatrix copy(matrix.rows(), matrix.cols());
  for (size_t row = 0; row < matrix.rows(); ++row) {
    std::copy_n(matrix.Row(row), matrix.cols(), copy.Row(row));
  }
  return copy;
}

// Splits an input table, in which the rows of n-grams follow those of words.
SubwordTables SplitRows(const SubwordIndex& index, const FloatTable& rows) {
  const size_t word_rows = rows.rows() - index.rows();
  return {index, rows.Rows(0, word_rows), rows.Rows(word_rows, index.rows())};
}

}  // namespace

void RandomRow(uint64_t key, float range, absl::Span<float> row) {
  Rng rng(key);
  for (float& value : row) value = (2 * rng.NextFloat() - 1) * range;
}

EmbeddingModel::EmbeddingModel(const ModelShape& shape, uint64_t seed,
                               std::optional<ModelSubwords> subwords)
    : first_column_(shape.first_column),
      sentence_rows_(shape.sentence_rows),
      input_(RandomInput(shape, seed)),
      output_(Zeros(shape, shape.output_rows)),
      output_bias_(Biases(shape)),
      position_weights_(PositionWeights(shape)) {
  if (subwords.has_value()) {
    index_ = std::move(subwords->index);
    composition_ = std::move(subwords->composition);
  }
  FIRTH_CHECK(shape.n_gram_rows == (index_.has_value() ? index_->rows() : 0));
}

void EmbeddingModel::CopyInput(WordId word, float* to) const {
  const PaddedMatrix& table = input_.Quiet();
  if (!composition_.has_value()) {
    std::copy_n(table.Row(Index(word)), stride(), to);
    return;
  }
  const auto rows = composition_->RowsOf(word);
  const FloatTable padded(
      ConstView<float>(table.data(), table.rows(), stride()));
  std::fill_n(to, stride(), 0.0f);
  AverageRows(padded, rows, rows.size(), absl::MakeSpan(to, stride()));
}

void EmbeddingModel::SetInput(WordId word, absl::Span<const float> vector) {
  FIRTH_CHECK(vector.size() == dim());
  PaddedMatrix& table = input_.Quiet();
  float* const own = table.Row(Index(word));
  if (!composition_.has_value()) {
    std::copy(vector.begin(), vector.end(), own);
    return;
  }
  // The mean of n rows must be `vector`.
  FIRTH_CHECK(composition_->own_rows() == 1);
  const auto rows = composition_->RowsOf(word);
  for (size_t i = 0; i < dim(); ++i) {
    own[i] = vector[i] * static_cast<float>(rows.size());
  }
  for (const uint32_t row : rows.subspan(1)) {
    for (size_t i = 0; i < dim(); ++i) own[i] -= table.Row(row)[i];
  }
}

void EmbeddingModel::ScaleOwnRows(float share) {
  FIRTH_CHECK(composition_->own_rows() == 1);
  PaddedMatrix& table = input_.Quiet();
  for (size_t word = 0; word < composition_->num_words(); ++word) {
    if (composition_->RowsOf(ToWordId(word)).size() == 1) continue;
    float* const own = table.Row(word);
    for (size_t i = 0; i < dim(); ++i) own[i] *= share;
  }
}

void EmbeddingModel::AddOutput(double share) {
  const PaddedMatrix& output = output_.Quiet();
  const std::vector<float> mean = MeanRow(FloatTable(output.view()));
  ParallelExceptions exceptions;
#pragma omp parallel for schedule(static)
  for (size_t word = 0; word < output.rows(); ++word) {
    const WordId id = ToWordId(word);
    if (IsPinned(id)) continue;
    std::vector<float> input;
    std::vector<double> added;
    exceptions.Catch([&] {
      input.resize(stride());
      added.resize(dim());
    });
    if (added.empty()) continue;
    CopyInput(id, input.data());
    double input_square = 0;
    double added_square = 0;
    for (size_t i = 0; i < dim(); ++i) {
      added[i] = double{output.Row(word)[i]} - mean[i];
      input_square += double{input[i]} * input[i];
      added_square += added[i] * added[i];
    }
    if (added_square == 0) continue;
    const double scale = share * std::sqrt(input_square / added_square);
    for (size_t i = 0; i < dim(); ++i) {
      input[i] += static_cast<float>(scale * added[i]);
    }
    SetInput(id, absl::MakeConstSpan(input).first(dim()));
  }
  exceptions.Rethrow();
}

void EmbeddingModel::Pin(std::vector<bool> words) {
  FIRTH_CHECK(!index_.has_value());
  FIRTH_CHECK(words.size() + sentence_rows_ == input_.rows());
  composition_ = Composition(words.size());
  pinned_ = std::move(words);
}

PaddedMatrix EmbeddingModel::Compose(size_t vocab_size) const {
  PaddedMatrix vectors(vocab_size, dim());
#pragma omp parallel for schedule(static)
  for (size_t word = 0; word < vocab_size; ++word) {
    CopyInput(ToWordId(word), vectors.Row(word));
  }
  return vectors;
}

absl::StatusOr<WordVectors> EmbeddingModel::Snapshot(
    const Vocabulary& vocabulary) const {
  return WordVectors::Create(vocabulary, Compose(vocabulary.size()));
}

absl::StatusOr<WordVectors> EmbeddingModel::Copy(
    const Vocabulary& vocabulary) const {
  if (!index_.has_value()) return Snapshot(vocabulary);
  return WordVectors::Create(vocabulary, Compose(vocabulary.size()),
                             SplitRows(*index_, CopyOf(input_.Quiet())));
}

absl::StatusOr<WordVectors> EmbeddingModel::CopySentences(
    const Vocabulary& names) const {
  const PaddedMatrix& table = input_.Quiet();
  const size_t first = table.rows() - sentence_rows_;
  PaddedMatrix copy(sentence_rows_, dim());
  for (size_t row = 0; row < sentence_rows_; ++row) {
    std::copy_n(table.Row(first + row), dim(), copy.Row(row));
  }
  return WordVectors::Create(names, std::move(copy));
}

absl::StatusOr<EmbeddingModel::Frozen> EmbeddingModel::Freeze(
    EmbeddingModel model, const Vocabulary& vocabulary) {
  FIRTH_RETURN_IF_ERROR(CheckFinite(model.input_.Quiet(), "input", vocabulary));
  FIRTH_RETURN_IF_ERROR(
      CheckFinite(model.output_.Quiet(), "output", vocabulary));
  FIRTH_RETURN_IF_ERROR(
      CheckFinite(model.output_bias_.Quiet(), "output bias", vocabulary));
  Frozen frozen;
  frozen.output = std::move(model.output_).Release();
  if (model.has_output_bias()) {
    frozen.output_bias = std::move(model.output_bias_).Release();
  }
  std::optional<SubwordTables> subwords;
  FloatTable vectors;
  if (model.index_.has_value()) {
    vectors = model.Compose(vocabulary.size());
    subwords = SplitRows(*model.index_, std::move(model.input_).Release());
  } else {
    vectors = std::move(model.input_).Release();
    frozen.sentences = vectors.Rows(vocabulary.size(), model.sentence_rows_);
    vectors = vectors.Rows(0, vocabulary.size());
  }
  FIRTH_ASSIGN_OR_RETURN(
      frozen.vectors,
      WordVectors::Create(vocabulary, std::move(vectors), std::move(subwords)));
  return frozen;
}

uint64_t ModelBytes(const ModelShape& shape) {
  const uint64_t row = shape.stride() * sizeof(float);
  const uint64_t bias =
      shape.output_bias.has_value() ? shape.output_rows * sizeof(float) : 0;
  // At the end, the vectors of words with n-grams are computed into a table.
  const uint64_t vectors = shape.n_gram_rows > 0 ? shape.vocab_size : 0;
  return (uint64_t{shape.input_rows()} + shape.output_rows + vectors) * row +
         bias;
}

}  // namespace firth
