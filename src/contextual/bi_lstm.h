// BiLstm: a token encoder under two stacks of recurrent layers, one for each
// direction, that read the same chunk (Peters et al., "Deep contextualized word
// representations", 2018, section 3.1). The directions share the token vectors
// and nothing else. One thread each.

#ifndef FIRTH_CONTEXTUAL_BI_LSTM_H_
#define FIRTH_CONTEXTUAL_BI_LSTM_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "nn/stack.h"
#include "nn/token_encoder.h"

namespace firth {

struct BiLstmOptions {
  nn::TokenEncoderOptions encoder;
  // Of both directions: input_dim and reversed are set by BiLstm.
  nn::StackOptions stack;
};

class BiLstm {
 public:
  enum class Direction { kForward, kBackward };

  struct State {
    nn::StackState<float> forward;
    nn::StackState<float> backward;
  };

  BiLstm(const BiLstmOptions& options, uint64_t key);

  const BiLstmOptions& options() const { return options_; }
  nn::TokenEncoder<float>& encoder() { return encoder_; }
  nn::Stack<float>& stack(Direction direction) {
    return direction == Direction::kForward ? forward_ : backward_;
  }
  void AppendParameters(nn::ParameterList<float>* list);

  // The token vectors count as layer 0. A layer's vector of a token is the
  // forward part, then the backward part.
  size_t num_layers() const { return options_.stack.layers + 1; }
  size_t direction_dim() const { return forward_.output_dim(); }
  size_t dim() const { return 2 * direction_dim(); }

  State MakeState(size_t batch) const;

  // Runs over a chunk from *state on. words: the chunk's different words;
  // word_of_row: [shape.rows()], which of them stands in a row (any, beyond a
  // sequence's length). With a key, dropout is at work.
  void Run(const nn::TokenBatch& words, absl::Span<const uint32_t> word_of_row,
           const nn::ChunkShape& shape, State* state, nn::DropoutKey key = {});

  // [rows, direction_dim] of a layer after Run(), valid until the next one.
  // Layer 0 has the encoder's output_dim and is the same for both directions.
  nn::ConstView<float> Layer(size_t layer, Direction direction) const;

 private:
  BiLstmOptions options_;
  nn::TokenEncoder<float> encoder_;
  nn::Stack<float> forward_;
  nn::Stack<float> backward_;
  nn::Matrix<float> tokens_;  // [rows, the encoder's output_dim]
};

}  // namespace firth

#endif  // FIRTH_CONTEXTUAL_BI_LSTM_H_
