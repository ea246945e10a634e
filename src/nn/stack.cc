#include "nn/stack.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/rng.h"
#include "base/saturated.h"

namespace firth::nn {

template <class T>
Stack<T>::Stack(const RecurrentLayers& options, const LayersPlace& place)
    : options_(options),
      sums_(options.layers),
      inputs_(options.layers),
      outputs_(options.layers) {
  FIRTH_CHECK(options.layers > 0);
  RecurrentOptions recurrent = options.recurrent;
  recurrent.input_dim = place.input_dim;
  recurrent.reversed = options_.recurrent.reversed = place.reversed;
  for (size_t l = 0; l < options.layers; ++l) {
    layers_.push_back(std::make_unique<Recurrent<T>>(
        recurrent, absl::StrCat(place.name, ".", l),
        CombineKeys(place.key, l)));
    recurrent.input_dim = recurrent.output_dim();
  }
  for (size_t l = 0; l <= options.layers; ++l) {
    dropouts_.emplace_back(options.dropout);
  }
}

template <class T>
void Stack<T>::AppendParameters(ParameterList<T>* list) {
  for (const auto& layer : layers_) layer->AppendParameters(list);
}

template <class T>
LayerState<T> Stack<T>::MakeState(size_t batch) const {
  LayerState<T> state;
  for (size_t l = 0; l < layers_.size(); ++l) {
    layers_[l]->AppendState(absl::StrCat(l, "."), batch, &state);
  }
  return state;
}

template <class T>
ConstView<T> Stack<T>::Forward(ConstView<T> input, const ChunkShape& shape,
                               LayerState<T>* state, DropoutKey key) {
  const auto parts = state->parts();
  FIRTH_CHECK(parts.size() == layers_.size() * kRecurrentParts);
  const auto layer_key = [&](size_t layer) {
    return key.has_value() ? DropoutKey(CombineKeys(*key, layer)) : key;
  };
  for (size_t l = 0; l < layers_.size(); ++l) {
    inputs_[l] =
        dropouts_[l].Forward(l == 0 ? input : outputs_[l - 1], layer_key(l));
    outputs_[l] = layers_[l]->Forward(
        inputs_[l], shape, parts.subspan(l * kRecurrentParts, kRecurrentParts));
    if (!IsResidual(l)) continue;
    sums_[l].Resize(shape.rows(), output_dim());
    Copy(outputs_[l], sums_[l].view());
    Add(inputs_[l], sums_[l].view());
    outputs_[l] = std::as_const(sums_[l]).view();
  }
  return dropouts_.back().Forward(outputs_.back(), layer_key(layers_.size()));
}

template <class T>
void Stack<T>::Backward(ConstView<T> d_top,
                        absl::Span<const ConstView<T>> d_outputs,
                        View<T> d_input) {
  FIRTH_CHECK(d_outputs.empty() || d_outputs.size() == layers_.size());
  d_output_.Resize(d_top.rows(), output_dim());
  Copy(d_top, d_output_.view());
  dropouts_.back().Backward(d_output_.view());
  for (size_t l = layers_.size(); l-- > 0;) {
    if (!d_outputs.empty() && !d_outputs[l].empty()) {
      Add(d_outputs[l], d_output_.view());
    }
    if (l == 0) {
      LayerBackward(0, d_input);
    } else {
      d_input_.Resize(d_top.rows(), inputs_[l].cols());
      LayerBackward(l, d_input_.view());
      std::swap(d_output_, d_input_);
    }
  }
}

template <class T>
void Stack<T>::LayerBackward(size_t layer, View<T> d_input) {
  layers_[layer]->Backward(inputs_[layer], d_output_.view(), d_input);
  if (d_input.empty()) return;
  if (IsResidual(layer)) Add<T>(d_output_.view(), d_input);
  dropouts_[layer].Backward(d_input);
}

uint64_t CountParameters(const RecurrentLayers& options, size_t input_dim) {
  const RecurrentOptions& layer = options.recurrent;
  const CellShape& shape = ShapeOf(layer.cell);
  uint64_t values = 0;
  const auto add = [&values](uint64_t rows, uint64_t cols) {
    values = AddSaturated(values, MultiplySaturated(rows, cols));
  };
  for (size_t l = 0; l < options.layers; ++l) {
    add(l == 0 ? input_dim : layer.output_dim(),
        shape.input.size() * layer.units);
    add(layer.output_dim(), shape.recurrent.size() * layer.units);
    add(layer.units, layer.projection_dim);
    if (shape.diagonal) continue;
    add(layer.units, shape.num_state_weights * layer.units);
  }
  return values;
}

template class Stack<float>;
template class Stack<double>;

}  // namespace firth::nn
