// BiLstm: a token encoder under two stacks of recurrent layers, one for each
// direction (Peters et al., "Deep contextualized word representations", 2018,
// section 3.1). The directions share the token vectors and nothing else. One
// thread each.

#ifndef FIRTH_LM_BI_LSTM_H_
#define FIRTH_LM_BI_LSTM_H_

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "nn/stack.h"
#include "nn/token_encoder.h"

namespace firth {

struct BiLstmOptions {
  nn::TokenEncoderOptions encoder;
  // Of both directions: input_dim and reversed are set by BiLstm.
  nn::StackOptions stack;
};

enum class Direction { kForward, kBackward };
constexpr Direction kDirections[] = {Direction::kForward, Direction::kBackward};

class BiLstm {
 public:
  BiLstm(const BiLstmOptions& options, uint64_t key);

  const BiLstmOptions& options() const { return options_; }
  nn::TokenEncoder<float>& encoder() { return encoder_; }
  // The backward one reads from the last row of a chunk to the first.
  nn::Stack<float>& stack(Direction direction) {
    return direction == Direction::kForward ? forward_ : backward_;
  }
  void AppendParameters(nn::ParameterList<float>* list);

  size_t token_dim() const { return options_.encoder.output_dim(); }
  size_t direction_dim() const { return forward_.output_dim(); }

  // Runs one direction over token vectors from *state on, in chunks of limited
  // size, which give what one of all steps gives. After each, `visit` gets the
  // chunk's first step and top [rows of the chunk, direction_dim]; the other
  // layers are those of stack(direction). Directions may run at once.
  void Run(Direction direction, ConstView<float> tokens,
           const nn::ChunkShape& shape, nn::StackState<float>* state,
           absl::FunctionRef<void(size_t, ConstView<float>)> visit);

 private:
  BiLstmOptions options_;
  nn::TokenEncoder<float> encoder_;
  nn::Stack<float> forward_;
  nn::Stack<float> backward_;
};

// Token vectors of rows: word_of_row[r] is which of `words` stands there.
void GatherRows(ConstView<float> words, absl::Span<const uint32_t> word_of_row,
                Matrix<float>* rows);

}  // namespace firth

#endif  // FIRTH_LM_BI_LSTM_H_
