#include "nn/stack.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/rng.h"

namespace firth::nn {

template <class T>
Stack<T>::Stack(const StackOptions& options,
                std::vector<std::unique_ptr<Layer<T>>> layers)
    : options_(options),
      layers_(std::move(layers)),
      first_part_{0},
      sums_(layers_.size()),
      inputs_(layers_.size()),
      outputs_(layers_.size()) {
  FIRTH_CHECK(!layers_.empty());
  LayerState<T> parts;
  for (const auto& layer : layers_) {
    layer->AppendState("", 0, &parts);
    first_part_.push_back(parts.parts().size());
  }
  for (size_t l = 0; l <= layers_.size(); ++l) {
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
  LayerState<T> fresh;
  if (state == nullptr) {
    fresh = MakeState(shape.batch);
    state = &fresh;
  }
  FIRTH_CHECK(state->parts().size() == first_part_.back());
  const auto layer_key = [&](size_t layer) {
    return key.has_value() ? DropoutKey(CombineKeys(*key, layer)) : key;
  };
  for (size_t l = 0; l < layers_.size(); ++l) {
    inputs_[l] =
        dropouts_[l].Forward(l == 0 ? input : outputs_[l - 1], layer_key(l));
    outputs_[l] = layers_[l]->Forward(inputs_[l], shape, PartsOf(l, *state));
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
  d_state_ = nullptr;
}

template <class T>
void Stack<T>::LayerBackward(size_t layer, View<T> d_input) {
  layers_[layer]->Backward(inputs_[layer], d_output_.view(), d_input,
                           d_state_ == nullptr ? absl::Span<StatePart<T>>()
                                               : PartsOf(layer, *d_state_));
  if (d_input.empty()) return;
  if (IsResidual(layer)) Add<T>(d_output_.view(), d_input);
  dropouts_[layer].Backward(d_input);
}

template class Stack<float>;
#ifdef FIRTH_DOUBLES
template class Stack<double>;
#endif

}  // namespace firth::nn
