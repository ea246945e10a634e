// EmbeddingModel: the tables that training moves.

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
  bool words_have_rows = true;  // of the input table: n-grams alone may do
  size_t n_gram_rows = 0;       // of the input table, after those of the words
  size_t output_rows = 0;       // one a word, or an inner node of the tree
  size_t dim = 0;
  // Where the model is a share of a wider one: the columns of that, and which
  // of them is the first here. 0: it is no share.
  size_t whole_dim = 0;
  size_t first_column = 0;
  size_t input_rows() const {
    return (words_have_rows ? vocab_size : 0) + n_gram_rows;
  }
  bool is_share() const { return whole_dim > 0; }
  // Numbers from one row to the next. A share has no padding: models are shared
  // out because they are large.
  size_t stride() const { return is_share() ? dim : PaddedStride<float>(dim); }
  // Starting value of a bias for each output row; none: no biases.
  std::optional<float> output_bias;
  // Input values start uniform in (-input_range, input_range); 0: 1 / (2 dim),
  // as in word2vec.c. Those of a share are the same as in the whole.
  float input_range = 0;
  // Starting values of the weights of CBOW's context positions, from the
  // leftmost to the rightmost; empty: no weights.
  std::vector<float> position_weights;
};

// The n-grams of a model's words.
struct ModelSubwords {
  SubwordIndex index;
  Composition composition;
};

class EmbeddingModel {
 public:
  // Input rows start at random, drawn by (seed, row), output rows at 0, so that
  // all scores start at 0, as in word2vec.c. `subwords` has the rows that the
  // shape says.
  EmbeddingModel(const ModelShape& shape, uint64_t seed,
                 std::optional<ModelSubwords> subwords = std::nullopt);

  size_t dim() const { return input_.cols(); }
  size_t stride() const { return input_.stride(); }
  // In the whole model, if this one is a share of it.
  size_t first_column() const { return first_column_; }
  // Of a row of the whole model, the values that this one has: all, if it is no
  // share.
  absl::Span<const float> OwnColumns(absl::Span<const float> row) const {
    return row.subspan(first_column_, dim());
  }
  SharedMatrix& input() { return input_; }
  SharedMatrix& output() { return output_; }
  const SharedMatrix& input() const { return input_; }
  const SharedMatrix& output() const { return output_; }
  // One row of output_rows elements; empty when the objective has no biases.
  SharedMatrix& output_bias() { return output_bias_; }
  const SharedMatrix& output_bias() const { return output_bias_; }
  bool has_output_bias() const { return output_bias_.rows() > 0; }
  // [positions, dim], or no rows: what the words of a context are multiplied
  // by, value by value.
  SharedMatrix& position_weights() { return position_weights_; }
  const SharedMatrix& position_weights() const { return position_weights_; }

  // Null where a word's input vector is its row of the table, and moves.
  const Composition* composition() const {
    return composition_.has_value() ? &*composition_ : nullptr;
  }
  // Null where words have no n-grams.
  const SubwordIndex* index() const {
    return index_.has_value() ? &*index_ : nullptr;
  }
  // Whether a word has a row of the input table besides those of its n-grams.
  bool words_have_rows() const {
    return !composition_.has_value() || composition_->own_rows() > 0;
  }
  // Whether training leaves the word's input vector as it is.
  bool IsPinned(WordId word) const {
    return !pinned_.empty() && pinned_[Index(word)];
  }

  // While no worker runs: the input vector of a word, [stride].
  void CopyInput(WordId word, float* to) const;
  // Makes `vector`, [dim], the input vector of a word that has a row of its
  // own; the rows of its n-grams stay as they are.
  void SetInput(WordId word, absl::Span<const float> vector);
  // Multiplies a word's own row by `share` where the word has n-grams, too.
  void ScaleOwnRows(float share);
  // Adds to each input vector that is not pinned `share` of the word's output
  // vector, which is centered and made as long first. Words have rows of their
  // own in both tables.
  void AddOutput(double share);
  // Pins the words marked; for a model without n-grams.
  void Pin(std::vector<bool> words);

  // While no worker runs: the input vectors of all words, without n-grams.
  absl::StatusOr<WordVectors> Snapshot(const Vocabulary& vocabulary) const;
  // The same with n-grams, if the model has some.
  absl::StatusOr<WordVectors> Copy(const Vocabulary& vocabulary) const;

  struct Frozen {
    WordVectors vectors;
    FloatTable output;
    FloatTable output_bias;
  };
  // Ends training: the tables become read-only and belong to the result.
  // Errors: OutOfRange when a value is not finite (the message names the word).
  static absl::StatusOr<Frozen> Freeze(EmbeddingModel model,
                                       const Vocabulary& vocabulary);

 private:
  // [vocab_size, dim]: the input vectors of all words.
  PaddedMatrix Compose(size_t vocab_size) const;

  size_t first_column_;
  std::optional<SubwordIndex> index_;
  std::optional<Composition> composition_;
  std::vector<bool> pinned_;  // empty: none
  SharedMatrix input_;
  SharedMatrix output_;
  SharedMatrix output_bias_;
  SharedMatrix position_weights_;
};

// Bytes of the tables of a model of this shape.
uint64_t ModelBytes(const ModelShape& shape);

}  // namespace firth

#endif  // FIRTH_MODEL_EMBEDDING_MODEL_H_
