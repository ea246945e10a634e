// All layers of a contextualizer over some sentences, and the backward pass
// through the whole network. It is used when a task trains the contextualizer
// as well, and not only the network that reads its output (fine-tuning: Devlin
// et al., "BERT: pre-training of deep bidirectional transformers for language
// understanding", 2019, section 3.2).
//
//   layer 0   the token vectors, twice, or once followed by zeros
//   layer j   the output of layer j of all directions, side by side
//
// as in Contextualizer::Embed(). If the network reads pieces, a token's vector
// is the mean of the vectors of its pieces.

#ifndef FIRTH_LM_TUNED_LAYERS_H_
#define FIRTH_LM_TUNED_LAYERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "nn/bidirectional.h"
#include "nn/dropout.h"
#include "nn/matrix.h"
#include "nn/token_encoder.h"

namespace firth {

// Sentences in the form that the network reads, and the rows of their tokens.
// Borrows the spans.
struct TunedBatch {
  nn::TokenBatch words;  // distinct words
  // Index in `words` of each row of the chunk, time-major.
  absl::Span<const uint32_t> word_of_row;
  std::vector<size_t> lengths;  // of the chunk's sequences
  // Token t is the mean of the chunk's rows[first[t]] up to rows[first[t + 1]].
  std::vector<uint32_t> rows;
  std::vector<size_t> first = {0};
  // Rows of the chunk in the second segment, if the network reads pairs.
  absl::Span<const uint32_t> second_rows = {};

  size_t tokens() const { return first.size() - 1; }
  nn::ChunkShape shape() const {
    return {word_of_row.size() / lengths.size(), lengths.size(), lengths};
  }
};

template <class T>
class TunedLayers {
 public:
  // `threads` is 1 or the number of directions. Borrows the network;
  // second_segment is null unless it reads pairs.
  TunedLayers(nn::TokenEncoder<T>& encoder, nn::Bidirectional<T>& layers,
              int threads, nn::Parameter<T>* second_segment = nullptr)
      : encoder_(encoder),
        layers_(layers),
        threads_(threads),
        second_segment_(second_segment) {}

  // Sets the tokens' vectors in all layers, [tokens, dim] each. Dropout is
  // applied if a key is given.
  void Forward(const TunedBatch& batch, nn::DropoutKey key,
               std::vector<Matrix<T>>* vectors);
  // Adds to the gradients of the network's parameters, given the gradients with
  // respect to the vectors. Must follow Forward() with the same batch.
  void Backward(const TunedBatch& batch, absl::Span<const Matrix<T>> d_vectors);

 private:
  // Buffers of one direction.
  struct Side {
    Matrix<T> d_top;
    std::vector<Matrix<T>> d_outputs;
    Matrix<T> d_chunk;
  };

  // Returns the first column of each copy of the token vectors in layer 0.
  std::vector<size_t> TokenColumns() const;
  void ForwardDirection(nn::Direction direction, const TunedBatch& batch,
                        nn::DropoutKey key, std::vector<Matrix<T>>* vectors);
  void BackwardDirection(nn::Direction direction, const TunedBatch& batch,
                         absl::Span<const Matrix<T>> d_vectors);
  void EncoderBackward(const TunedBatch& batch, const Matrix<T>& d_tokens);

  nn::TokenEncoder<T>& encoder_;
  nn::Bidirectional<T>& layers_;
  int threads_;
  nn::Parameter<T>* second_segment_;
  Matrix<T> chunk_;  // input of the layers
  Side sides_[2];
  Matrix<T> d_words_;
};

}  // namespace firth

#endif  // FIRTH_LM_TUNED_LAYERS_H_
