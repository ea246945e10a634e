// The encoded texts that an encoder passes to a decoder.

#ifndef FIRTH_NN_ENCODED_TEXTS_H_
#define FIRTH_NN_ENCODED_TEXTS_H_

#include <cstddef>

#include "absl/types/span.h"
#include "nn/matrix.h"
#include "nn/sequence_layers.h"

namespace firth::nn {

// The encoded tokens of a batch of texts. Borrows all.
template <class T>
struct EncodedTexts {
  ConstView<T> rows;  // [tokens, dim]; one text after another
  absl::Span<const size_t> lengths = {};  // of the texts, all above 0
  // The state after the last token of each text, [texts, any], with the parts
  // of a recurrent decoder; null if the encoder has no state.
  const LayerState<T>* state = nullptr;

  size_t size() const { return lengths.size(); }
};

}  // namespace firth::nn

#endif  // FIRTH_NN_ENCODED_TEXTS_H_
