// A stack of layers in one direction.
//
//   x_l = dropout(y_{l-1})        y_{-1}: the input
//   y_l = layer_l(x_l) [+ x_l from the second layer on, with `residual`]
//   top = dropout(y_{L-1})
//
// A residual is added to the input of the next layer, but not to the output
// that a layer passes to its own next step (as in ELMo).

#ifndef FIRTH_NN_STACK_H_
#define FIRTH_NN_STACK_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "nn/row_layers.h"
#include "nn/sequence_layers.h"

namespace firth::nn {

// One layer, whose state contains everything about the previous steps.
template <class T>
class Layer {
 public:
  virtual ~Layer() = default;

  virtual size_t output_dim() const = 0;
  virtual void AppendParameters(ParameterList<T>* list) = 0;
  // Adds the layer's parts, if it has any, as "<prefix>...".
  virtual void AppendState(absl::string_view prefix, size_t batch,
                           LayerState<T>* state) const = 0;

  // Runs over the chunk input [rows, input_dim], starts from `state`, and sets
  // it to the last state. Returns [rows, output_dim], valid until the next
  // call. Rows beyond the end of a sequence are finite.
  virtual ConstView<T> Forward(ConstView<T> input, const ChunkShape& shape,
                               absl::Span<StatePart<T>> state) = 0;
  // Adds to the gradients of the parameters, given that of the output, and sets
  // d_input if it is not empty. If d_state is not empty, it contains the
  // gradient of the last state, and is set to that of the first. Must follow
  // Forward() with the same input.
  virtual void Backward(ConstView<T> input, ConstView<T> d_output,
                        View<T> d_input, absl::Span<StatePart<T>> d_state) = 0;
};

struct StackOptions {
  bool residual = false;
  double dropout = 0;
  bool reversed = false;  // whether layers read from the last step
};

template <class T>
class Stack : public SequenceLayers<T> {
 public:
  // There must be at least one layer, and all must have the same output_dim.
  Stack(const StackOptions& options,
        std::vector<std::unique_ptr<Layer<T>>> layers);

  Layer<T>& layer(size_t index) { return *layers_[index]; }

  size_t output_dim() const override { return layers_[0]->output_dim(); }
  size_t num_layers() const override { return layers_.size(); }
  void AppendParameters(ParameterList<T>* list) override;
  LayerState<T> MakeState(size_t batch) const override;
  ConstView<T> Forward(ConstView<T> input, const ChunkShape& shape,
                       LayerState<T>* state, DropoutKey key = {}) override;
  ConstView<T> output(size_t layer) const override { return outputs_[layer]; }
  void Backward(ConstView<T> d_top, absl::Span<const ConstView<T>> d_outputs,
                View<T> d_input) override;
  void SetStateGradient(LayerState<T>* d_state) override { d_state_ = d_state; }
  void Read(ConstView<T> input, const ChunkShape& shape, LayerState<T>* state,
            typename SequenceLayers<T>::Visit visit) override {
    ReadInPieces<T>(
        *this, options_.reversed, input, shape, state, visit,
        [this](ConstView<T> rows, const ChunkShape& piece,
               LayerState<T>* from) { return Forward(rows, piece, from); });
  }

 private:
  bool IsResidual(size_t layer) const { return options_.residual && layer > 0; }
  // Returns a layer's parts of a state of all layers.
  absl::Span<StatePart<T>> PartsOf(size_t layer, LayerState<T>& state) const {
    return state.parts().subspan(first_part_[layer],
                                 first_part_[layer + 1] - first_part_[layer]);
  }
  void LayerBackward(size_t layer, View<T> d_input);

  StackOptions options_;
  std::vector<std::unique_ptr<Layer<T>>> layers_;
  std::vector<size_t> first_part_;    // of each layer's state, and the total
  std::vector<Dropout<T>> dropouts_;  // before each layer, and the top
  std::vector<Matrix<T>> sums_;       // residual outputs
  std::vector<ConstView<T>> inputs_;  // x_l
  std::vector<ConstView<T>> outputs_;
  LayerState<T>* d_state_ = nullptr;
  Matrix<T> d_output_;
  Matrix<T> d_input_;
};

}  // namespace firth::nn

#endif  // FIRTH_NN_STACK_H_
