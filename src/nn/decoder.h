// Decoders: layers that generate a text from encoded texts, each step given the
// words before it. The kinds are a recurrent decoder (Sutskever, Vinyals and Le
// 2014), which starts with the encoder's last state and may have attention
// (nn/attentional_output.h), and a Transformer's (Vaswani et al. 2017).

#ifndef FIRTH_NN_DECODER_H_
#define FIRTH_NN_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/network_kinds.h"
#include "nn/encoded_texts.h"
#include "nn/matrix.h"
#include "nn/recurrent.h"
#include "nn/row_layers.h"
#include "nn/transformer.h"

namespace firth::nn {

struct DecoderOptions {
  // A Transformer's must be causal and decode. The dropout of recurrent layers
  // also applies to their attentional output.
  std::variant<RecurrentLayers, TransformerLayers> layers;
  // For recurrent layers. Any except kNone requires that the encoded rows have
  // the size of the layers' output.
  AttentionKind attention = AttentionKind::kDot;
  bool input_feeding = true;  // only with attention
};

template <class T>
class Decoder {
 public:
  virtual ~Decoder() = default;

  virtual size_t output_dim() const = 0;
  virtual void AppendParameters(ParameterList<T>* list) = 0;

  // Processes whole texts with known words (teacher forcing). Sequence b of the
  // chunk `input`, [rows, input_dim], belongs to encoded text b. Returns [rows,
  // output_dim], valid until the next call. Dropout is applied if a key is
  // given. `input` and `texts` must not change until Backward() returns.
  virtual ConstView<T> Forward(ConstView<T> input, const ChunkShape& shape,
                               const EncodedTexts<T>& texts,
                               DropoutKey key) = 0;
  // Adds to the gradients of the parameters and to d_rows, that of the encoded
  // rows. Sets d_input, and *d_state, if it is not null, to the gradient of the
  // encoder's state. Must follow Forward(). d_top must be zero after the end of
  // a sequence.
  virtual void Backward(ConstView<T> d_top, View<T> d_input, View<T> d_rows,
                        LayerState<T>* d_state) = 0;

  // Begins to generate: returns the first state of one hypothesis per text.
  // Borrows `texts` until the next call. The parameters must not change.
  virtual LayerState<T> Start(const EncodedTexts<T>& texts) = 0;
  // Processes the next word of each hypothesis, [hypotheses, input_dim], and
  // updates the state. texts[h] is the text of hypothesis h. Returns
  // [hypotheses, output_dim], valid until the next call.
  virtual ConstView<T> Step(ConstView<T> input, absl::Span<const size_t> texts,
                            LayerState<T>* state) = 0;

  virtual bool has_attention() const = 0;
  // Sets weights, [hypotheses, longest text], to the attention of the last
  // Step(), with zeros after the end of a text. Only with attention.
  virtual void CopyAttention(Matrix<T>* weights) const = 0;
};

// `name` is a prefix of the parameters' names.
template <class T>
std::unique_ptr<Decoder<T>> MakeDecoder(const DecoderOptions& options,
                                        size_t input_dim,
                                        absl::string_view name, uint64_t key);

}  // namespace firth::nn

#endif  // FIRTH_NN_DECODER_H_
