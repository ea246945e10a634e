#include "contextual/bi_lstm.h"

#include <algorithm>

#include "base/check.h"
#include "base/rng.h"

namespace firth {
namespace {

nn::StackOptions StackFor(const BiLstmOptions& options, bool reversed) {
  nn::StackOptions stack = options.stack;
  stack.recurrent.input_dim = options.encoder.output_dim();
  stack.recurrent.reversed = reversed;
  return stack;
}

}  // namespace

BiLstm::BiLstm(const BiLstmOptions& options, uint64_t key)
    : options_(options),
      encoder_(options.encoder, "encoder", CombineKeys(key, 0)),
      forward_(StackFor(options, false), "forward", CombineKeys(key, 1)),
      backward_(StackFor(options, true), "backward", CombineKeys(key, 2)) {}

void BiLstm::AppendParameters(nn::ParameterList<float>* list) {
  encoder_.AppendParameters(list);
  forward_.AppendParameters(list);
  backward_.AppendParameters(list);
}

BiLstm::State BiLstm::MakeState(size_t batch) const {
  return {forward_.MakeState(batch), backward_.MakeState(batch)};
}

void BiLstm::Run(const nn::TokenBatch& words,
                 absl::Span<const uint32_t> word_of_row,
                 const nn::ChunkShape& shape, State* state,
                 nn::DropoutKey key) {
  FIRTH_CHECK(word_of_row.size() == shape.rows());
  const nn::ConstView<float> vectors = encoder_.Forward(words);
  tokens_.Resize(shape.rows(), vectors.cols());
  for (size_t row = 0; row < shape.rows(); ++row) {
    std::copy_n(vectors.Row(word_of_row[row]), vectors.cols(),
                tokens_.Row(row));
  }
  const auto key_of = [&](uint64_t direction) {
    return key.has_value() ? nn::DropoutKey(CombineKeys(*key, direction)) : key;
  };
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    forward_.Forward(tokens_.view(), shape, &state->forward, key_of(0));
#pragma omp section
    backward_.Forward(tokens_.view(), shape, &state->backward, key_of(1));
  }
}

nn::ConstView<float> BiLstm::Layer(size_t layer, Direction direction) const {
  if (layer == 0) return tokens_.view();
  return direction == Direction::kForward ? forward_.output(layer - 1)
                                          : backward_.output(layer - 1);
}

}  // namespace firth
