// An encoder: layers that read each text whole, and pass all of its tokens and
// their last state to a decoder.

#ifndef FIRTH_NN_ENCODER_H_
#define FIRTH_NN_ENCODER_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "firth/network_kinds.h"
#include "nn/bidirectional.h"
#include "nn/encoded_texts.h"
#include "nn/layers.h"
#include "nn/matrix.h"
#include "nn/row_layers.h"

namespace firth::nn {

template <class T>
class Encoder {
 public:
  Encoder(const LayersOptions& layers, Reading reading, size_t input_dim,
          uint64_t key);

  size_t output_dim() const { return layers_.output_dim(); }
  void AppendParameters(ParameterList<T>* list) {
    layers_.AppendParameters(list);
  }

  // Reads packed texts of these lengths, [tokens, input_dim]. If the layers are
  // recurrent, the result has their last states, those of both directions side
  // by side. It is valid until the next call. `input` and `lengths` must not
  // change until Backward() returns.
  EncodedTexts<T> Forward(ConstView<T> input, absl::Span<const size_t> lengths,
                          DropoutKey key, int threads);
  // Adds to the gradients of the parameters, given those of the rows and of the
  // state, and sets d_input if it is not empty. d_state may be null.
  void Backward(ConstView<T> d_rows, const LayerState<T>* d_state, int threads,
                View<T> d_input);

 private:
  bool recurrent_;
  Bidirectional<T> layers_;
  absl::Span<const size_t> lengths_;
  Matrix<T> rows_;
  std::array<LayerState<T>, 2> last_;  // of each direction
  LayerState<T> joined_;
  std::array<LayerState<T>, 2> d_last_;
};

}  // namespace firth::nn

#endif  // FIRTH_NN_ENCODER_H_
