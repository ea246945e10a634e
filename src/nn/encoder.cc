#include "nn/encoder.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/rng.h"

namespace firth::nn {

template <class T>
Encoder<T>::Encoder(const LayersOptions& layers, Reading reading,
                    size_t input_dim, uint64_t key)
    : recurrent_(std::holds_alternative<RecurrentLayers>(layers)),
      layers_(layers, reading, input_dim,
              {CombineKeys(key, 0), CombineKeys(key, 1)}) {}

template <class T>
EncodedTexts<T> Encoder<T>::Forward(ConstView<T> input,
                                    absl::Span<const size_t> lengths,
                                    DropoutKey key, int threads) {
  lengths_ = lengths;
  rows_.Resize(input.rows(), output_dim());
  layers_.Forward(input, lengths, {}, key, threads, rows_.view(),
                  recurrent_ ? &last_ : nullptr);
  EncodedTexts<T> encoded{rows_.view(), lengths};
  if (!recurrent_) return encoded;
  joined_ = {};
  const size_t directions = layers_.directions().size();
  for (const Direction direction : layers_.directions()) {
    const auto parts = last_[static_cast<size_t>(direction)].parts();
    for (size_t i = 0; i < parts.size(); ++i) {
      const size_t cols = parts[i].values.cols();
      if (joined_.num_parts() == i) {
        joined_.Add(parts[i].name, lengths.size(), directions * cols);
      }
      const size_t first = layers_.OffsetOf(direction) == 0 ? 0 : cols;
      Copy<T>(parts[i].values.view(), joined_[i].view().Cols(first, cols));
    }
  }
  encoded.state = &joined_;
  return encoded;
}

template <class T>
void Encoder<T>::Backward(ConstView<T> d_rows, const LayerState<T>* d_state,
                          int threads, View<T> d_input) {
  for (const Direction direction : layers_.directions()) {
    if (!recurrent_ || d_state == nullptr) break;
    LayerState<T>& own = d_last_[static_cast<size_t>(direction)];
    own = layers_[direction].MakeState(lengths_.size());
    for (size_t i = 0; i < own.num_parts(); ++i) {
      const size_t cols = own[i].cols();
      const size_t first = layers_.OffsetOf(direction) == 0 ? 0 : cols;
      Copy<T>((*d_state)[i].view().Cols(first, cols), own[i].view());
    }
    layers_[direction].SetStateGradient(&own);
  }
  layers_.Backward(d_rows, lengths_, threads, d_input);
}

template class Encoder<float>;
#ifdef FIRTH_DOUBLES
template class Encoder<double>;
#endif

}  // namespace firth::nn
