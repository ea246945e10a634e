// Recurrent layers on top of one another, in one direction.
//
//   x_l = dropout(y_{l-1})        y_{-1}: the input
//   y_l = recurrent_l(x_l) [+ x_l from the second layer on, with `residual`]
//   top = dropout(y_{L-1})
//
// A residual adds to the output that the next layer sees, not to what recurs
// (as in ELMo).

#ifndef FIRTH_NN_STACK_H_
#define FIRTH_NN_STACK_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "nn/dropout.h"
#include "nn/recurrent.h"

namespace firth::nn {

struct StackOptions {
  // Of every layer; input_dim is the first one's.
  RecurrentOptions recurrent;
  size_t layers = 1;
  bool residual = false;
  double dropout = 0;
};

template <class T>
using StackState = std::vector<RecurrentState<T>>;  // a layer each

template <class T>
class Stack {
 public:
  // Parameters are called "<name>.<layer>.input" and so on.
  Stack(const StackOptions& options, absl::string_view name, uint64_t key);

  const StackOptions& options() const { return options_; }
  size_t output_dim() const { return options_.recurrent.output_dim(); }
  Recurrent<T>& layer(size_t index) { return *layers_[index]; }
  void AppendParameters(ParameterList<T>* list);
  StackState<T> MakeState(size_t batch) const;

  // As Recurrent's. Returns `top`, [rows, output_dim], valid until the next
  // call. With a key, dropout is at work. `input` must stay as it is until
  // Backward() is done.
  ConstView<T> Forward(ConstView<T> input, const ChunkShape& shape,
                       StackState<T>* state, DropoutKey key = {});
  // y_l, valid until the next Forward().
  ConstView<T> output(size_t layer) const { return outputs_[layer]; }

  // The gradient by `top` and, if not empty, one by each y_l besides (an empty
  // view: none). d_input may be empty.
  void Backward(ConstView<T> d_top, absl::Span<const ConstView<T>> d_outputs,
                View<T> d_input);

 private:
  bool IsResidual(size_t layer) const { return options_.residual && layer > 0; }
  void LayerBackward(size_t layer, View<T> d_input);

  StackOptions options_;
  std::vector<std::unique_ptr<Recurrent<T>>> layers_;
  std::vector<Dropout<T>> dropouts_;  // in front of each layer, and the last
  std::vector<Matrix<T>> sums_;       // residual outputs
  std::vector<ConstView<T>> inputs_;  // x_l
  std::vector<ConstView<T>> outputs_;
  Matrix<T> d_output_;
  Matrix<T> d_input_;
};

}  // namespace firth::nn

#endif  // FIRTH_NN_STACK_H_
