// EmbeddingModel: the tables that training updates.

#ifndef FIRTH_MODEL_EMBEDDING_MODEL_H_
#define FIRTH_MODEL_EMBEDDING_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/shared_matrix.h"
#include "firth/matrix.h"
#include "firth/subwords.h"
#include "firth/vocabulary.h"
#include "firth/word_vectors.h"
#include "vocab/composition.h"

namespace firth {

struct ModelShape {
  size_t vocab_size = 0;
  // Whether words have rows in the input table; n-grams alone are possible.
  bool words_have_rows = true;
  // Rows of n-grams in the input table, after those of the words.
  size_t n_gram_rows = 0;
  // Rows of whole sentences in the input table, after all others.
  size_t sentence_rows = 0;
  // One row per word, or one per inner node of the tree.
  size_t output_rows = 0;
  size_t dim = 0;
  // If this model is a share of a wider model: the number of columns of that
  // model, and the first of them that belongs to this one. 0 means that it is
  // not a share.
  size_t whole_dim = 0;
  size_t first_column = 0;
  size_t input_rows() const {
    return (words_have_rows ? vocab_size : 0) + n_gram_rows + sentence_rows;
  }
  bool is_share() const { return whole_dim > 0; }
  // Returns the distance from one row to the next, in numbers. A share has no
  // padding, because models are divided when they are large.
  size_t stride() const { return is_share() ? dim : PaddedStride<float>(dim); }
  // Initial bias of each output row. If it is not set, there are no biases.
  std::optional<float> output_bias;
  // Input values start uniform in (-input_range, input_range). 0 means 1 / (2
  // dim), as in word2vec.c. The values of a share are the same as in the whole
  // model.
  float input_range = 0;
  // Initial weights of the context positions of CBOW, from the leftmost to the
  // rightmost; empty if there are no weights.
  std::vector<float> position_weights;
};

// The n-grams of a model's words.
struct ModelSubwords {
  SubwordIndex index;
  Composition composition;
};

// Fills a row with values uniform in (-range, range), drawn by the key.
void RandomRow(uint64_t key, float range, absl::Span<float> row);

class EmbeddingModel {
 public:
  // Initializes input rows at random, drawn by (seed, row), and output rows to
  // 0, so that all scores start at 0, as in word2vec.c. `subwords` must have
  // the number of rows that the shape states.
  EmbeddingModel(const ModelShape& shape, uint64_t seed,
                 std::optional<ModelSubwords> subwords = std::nullopt);

  size_t dim() const { return input_.cols(); }
  size_t stride() const { return input_.stride(); }
  // Returns the first column in the whole model, if this one is a share of it.
  size_t first_column() const { return first_column_; }
  // Returns the values of a row of the whole model that belong to this one; all
  // of them, if it is not a share.
  absl::Span<const float> OwnColumns(absl::Span<const float> row) const {
    return row.subspan(first_column_, dim());
  }
  SharedMatrix& input() { return input_; }
  SharedMatrix& output() { return output_; }
  const SharedMatrix& input() const { return input_; }
  const SharedMatrix& output() const { return output_; }
  // Returns one row of output_rows elements; empty if the objective has no
  // biases.
  SharedMatrix& output_bias() { return output_bias_; }
  const SharedMatrix& output_bias() const { return output_bias_; }
  bool has_output_bias() const { return output_bias_.rows() > 0; }
  // Returns the factors for the words of a context, applied value by value:
  // [positions, dim], or no rows.
  SharedMatrix& position_weights() { return position_weights_; }
  const SharedMatrix& position_weights() const { return position_weights_; }

  // Returns null if a word's input vector is its row of the table, which
  // training updates.
  const Composition* composition() const {
    return composition_.has_value() ? &*composition_ : nullptr;
  }
  // Returns null if words have no n-grams.
  const SubwordIndex* index() const {
    return index_.has_value() ? &*index_ : nullptr;
  }
  // Returns whether a word has a row in the input table in addition to those of
  // its n-grams.
  bool words_have_rows() const {
    return !composition_.has_value() || composition_->own_rows() > 0;
  }
  // Returns whether training leaves the word's input vector unchanged.
  bool IsPinned(WordId word) const {
    return !pinned_.empty() && pinned_[Index(word)];
  }

  // Copies the input vector of a word, [stride], while no worker runs.
  void CopyInput(WordId word, float* to) const;
  // Sets the input vector, [dim], of a word that has a row of its own. The rows
  // of its n-grams do not change.
  void SetInput(WordId word, absl::Span<const float> vector);
  // Multiplies a word's own row by `share` if the word also has n-grams.
  void ScaleOwnRows(float share);
  // Adds `share` times the word's output vector to each input vector that is
  // not pinned. The output vector is centered, and scaled to the length of the
  // input vector, first. Words must have rows of their own in both tables.
  void AddOutput(double share);
  // Pins the words marked, in a model without n-grams.
  void Pin(std::vector<bool> words);

  // Returns the input vectors of all words, without n-grams, while no worker
  // runs.
  absl::StatusOr<WordVectors> Snapshot(const Vocabulary& vocabulary) const;
  // Like Snapshot(), but with n-grams, if the model has some.
  absl::StatusOr<WordVectors> Copy(const Vocabulary& vocabulary) const;
  // Returns the rows of sentences, which have these names.
  absl::StatusOr<WordVectors> CopySentences(const Vocabulary& names) const;

  struct Frozen {
    WordVectors vectors;
    FloatTable output;
    FloatTable output_bias;
    FloatTable sentences;  // [sentence_rows, dim]
  };
  // Ends training: the tables become read-only and belong to the result.
  // Errors: OutOfRange if a value is not finite (the message names the word).
  static absl::StatusOr<Frozen> Freeze(EmbeddingModel model,
                                       const Vocabulary& vocabulary);

 private:
  // Returns the input vectors of all words, [vocab_size, dim].
  PaddedMatrix Compose(size_t vocab_size) const;

  size_t first_column_;
  size_t sentence_rows_;
  std::optional<SubwordIndex> index_;
  std::optional<Composition> composition_;
  std::vector<bool> pinned_;  // Empty if no word is pinned.
  SharedMatrix input_;
  SharedMatrix output_;
  SharedMatrix output_bias_;
  SharedMatrix position_weights_;
};

// Returns the bytes of the tables of a model of this shape.
uint64_t ModelBytes(const ModelShape& shape);

}  // namespace firth

#endif  // FIRTH_MODEL_EMBEDDING_MODEL_H_
