// All layers of a contextualizer over some sentences, and the way back through
// the whole network: what a task learns by when it moves the contextualizer,
// too, and not only what reads it (fine-tuning: Devlin et al., "BERT:
// pre-training of deep bidirectional transformers for language understanding",
// 2019, section 3.2).
//
//   layer 0   the token vectors, twice, or once and then zeros
//   layer j   what layer j of all directions gives, side by side
//
// as Contextualizer::Embed() has them. A token's vector is the mean of those of
// its pieces, where the network reads pieces.

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

// Sentences as the network reads them, and where their tokens are. Borrows
// `words` and `word_of_row`.
struct TunedBatch {
  nn::TokenBatch words;  // the different ones
  // Of the chunk, time-major: which of them stands in each row.
  absl::Span<const uint32_t> word_of_row;
  std::vector<size_t> lengths;  // of the chunk's sequences
  // Token t is the mean of the chunk's rows[first[t]] up to rows[first[t + 1]].
  std::vector<uint32_t> rows;
  std::vector<size_t> first = {0};
  // Of the chunk: those of the second segment, where the network reads pairs.
  absl::Span<const uint32_t> second_rows = {};

  size_t tokens() const { return first.size() - 1; }
  nn::ChunkShape shape() const {
    return {word_of_row.size() / lengths.size(), lengths.size(), lengths};
  }
};

template <class T>
class TunedLayers {
 public:
  // threads: 1, or one a direction. Borrows the network; second_segment is
  // null unless it reads pairs.
  TunedLayers(nn::TokenEncoder<T>& encoder, nn::Bidirectional<T>& layers,
              int threads, nn::Parameter<T>* second_segment = nullptr)
      : encoder_(encoder),
        layers_(layers),
        threads_(threads),
        second_segment_(second_segment) {}

  // Sets the tokens' vectors in all layers, each [tokens, dim]. With a key,
  // dropout is at work.
  void Forward(const TunedBatch& batch, nn::DropoutKey key,
               std::vector<Matrix<T>>* vectors);
  // After Forward(), with the same batch: adds to the gradients of the
  // network's parameters, given those by the vectors.
  void Backward(const TunedBatch& batch, absl::Span<const Matrix<T>> d_vectors);

 private:
  // What a direction works in.
  struct Side {
    Matrix<T> d_top;
    std::vector<Matrix<T>> d_outputs;
    Matrix<T> d_chunk;
  };

  // Where layer 0 holds the token vectors: the first column of each copy.
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
  Matrix<T> chunk_;  // what the layers read
  Side sides_[2];
  Matrix<T> d_words_;
};

}  // namespace firth

#endif  // FIRTH_LM_TUNED_LAYERS_H_
