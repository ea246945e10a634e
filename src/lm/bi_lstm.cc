#include "lm/bi_lstm.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "base/rng.h"

namespace firth {
namespace {

// Of a chunk that is only run forward: bounds what a long sentence takes.
constexpr size_t kMostRows = 4096;

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

void BiLstm::Run(Direction direction, ConstView<float> tokens,
                 const nn::ChunkShape& shape, nn::StackState<float>* state,
                 absl::FunctionRef<void(size_t, ConstView<float>)> visit) {
  FIRTH_CHECK(tokens.rows() == shape.rows());
  const size_t most_steps = std::max<size_t>(1, kMostRows / shape.batch);
  const size_t chunks = (shape.steps + most_steps - 1) / most_steps;
  std::vector<size_t> lengths(shape.lengths.size());
  for (size_t k = 0; k < chunks; ++k) {
    const size_t chunk = direction == Direction::kForward ? k : chunks - 1 - k;
    const size_t first = chunk * most_steps;
    const size_t steps = std::min(most_steps, shape.steps - first);
    for (size_t b = 0; b < lengths.size(); ++b) {
      lengths[b] = std::min(steps, std::max(shape.lengths[b], first) - first);
    }
    visit(first, stack(direction).Forward(
                     tokens.Rows(first * shape.batch, steps * shape.batch),
                     {steps, shape.batch, lengths}, state));
  }
}

void GatherRows(ConstView<float> words, absl::Span<const uint32_t> word_of_row,
                Matrix<float>* rows) {
  rows->Resize(word_of_row.size(), words.cols());
  for (size_t row = 0; row < word_of_row.size(); ++row) {
    std::copy_n(words.Row(word_of_row[row]), words.cols(), rows->Row(row));
  }
}

}  // namespace firth
