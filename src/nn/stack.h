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
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "nn/dropout.h"
#include "nn/recurrent.h"
#include "nn/sequence_layers.h"

namespace firth::nn {

struct RecurrentLayers {
  // Of every layer. Where the layers stand says input_dim and reversed.
  RecurrentOptions recurrent;
  size_t layers = 1;
  bool residual = false;
  double dropout = 0;

  size_t output_dim() const { return recurrent.output_dim(); }
};

template <class T>
class Stack : public SequenceLayers<T> {
 public:
  Stack(const RecurrentLayers& options, const LayersPlace& place);

  Recurrent<T>& layer(size_t index) { return *layers_[index]; }

  size_t output_dim() const override { return options_.output_dim(); }
  size_t num_layers() const override { return layers_.size(); }
  void AppendParameters(ParameterList<T>* list) override;
  LayerState<T> MakeState(size_t batch) const override;
  ConstView<T> Forward(ConstView<T> input, const ChunkShape& shape,
                       LayerState<T>* state, DropoutKey key = {}) override;
  ConstView<T> output(size_t layer) const override { return outputs_[layer]; }
  void Backward(ConstView<T> d_top, absl::Span<const ConstView<T>> d_outputs,
                View<T> d_input) override;
  void Read(ConstView<T> input, const ChunkShape& shape, LayerState<T>* state,
            typename SequenceLayers<T>::Visit visit) override {
    ReadInPieces(*this, options_.recurrent.reversed, input, shape, state,
                 visit);
  }

 private:
  bool IsResidual(size_t layer) const { return options_.residual && layer > 0; }
  void LayerBackward(size_t layer, View<T> d_input);

  RecurrentLayers options_;
  std::vector<std::unique_ptr<Recurrent<T>>> layers_;
  std::vector<Dropout<T>> dropouts_;  // in front of each layer, and the last
  std::vector<Matrix<T>> sums_;       // residual outputs
  std::vector<ConstView<T>> inputs_;  // x_l
  std::vector<ConstView<T>> outputs_;
  Matrix<T> d_output_;
  Matrix<T> d_input_;
};

template <class T>
std::unique_ptr<SequenceLayers<T>> MakeLayers(const RecurrentLayers& options,
                                              const LayersPlace& place) {
  return std::make_unique<Stack<T>>(options, place);
}
uint64_t CountParameters(const RecurrentLayers& options, size_t input_dim);

}  // namespace firth::nn

#endif  // FIRTH_NN_STACK_H_
