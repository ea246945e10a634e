// EmbeddingModel: the tables that training moves.

#ifndef FIRTH_MODEL_EMBEDDING_MODEL_H_
#define FIRTH_MODEL_EMBEDDING_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "base/shared_matrix.h"
#include "firth/matrix.h"
#include "firth/vocabulary.h"
#include "firth/word_vectors.h"

namespace firth {

struct ModelShape {
  size_t vocab_size = 0;
  size_t output_rows = 0;  // one a word, or an inner node of the tree
  size_t dim = 0;
  // Starting value of a bias for each output row; none: no biases.
  std::optional<float> output_bias;
  // Input values start uniform in (-input_range, input_range); 0: 1 / (2 dim),
  // as in word2vec.c.
  float input_range = 0;
};

class EmbeddingModel {
 public:
  // Input rows start at random, drawn by (seed, row), output rows at 0, so that
  // all scores start at 0, as in word2vec.c.
  EmbeddingModel(const ModelShape& shape, uint64_t seed);

  size_t dim() const { return input_.dim(); }
  size_t padded_dim() const { return input_.stride(); }
  SharedMatrix& input() { return input_; }
  SharedMatrix& output() { return output_; }
  const SharedMatrix& input() const { return input_; }
  const SharedMatrix& output() const { return output_; }
  // One row of output_rows elements; empty when the objective has no biases.
  SharedMatrix& output_bias() { return output_bias_; }
  const SharedMatrix& output_bias() const { return output_bias_; }
  bool has_output_bias() const { return output_bias_.rows() > 0; }

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
  SharedMatrix input_;
  SharedMatrix output_;
  SharedMatrix output_bias_;
};

// Bytes of the tables of a model of this shape.
uint64_t ModelBytes(const ModelShape& shape);

}  // namespace firth

#endif  // FIRTH_MODEL_EMBEDDING_MODEL_H_
