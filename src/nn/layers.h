// The kinds of layers that language models and taggers can contain.

#ifndef FIRTH_NN_LAYERS_H_
#define FIRTH_NN_LAYERS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>

#include "nn/recurrent.h"
#include "nn/sequence_layers.h"
#include "nn/transformer.h"
#include "nn/window_layers.h"

namespace firth::nn {

// The single list of kinds. Each struct of options has
//
//   kSection, Fields()    its form in model files: the name of an object, and
//                         the contents
//   output_dim(), layers  size of every layer, and number of layers
//
// and MakeLayers() and CountParameters() in its header.
using LayersOptions =
    std::variant<RecurrentLayers, WindowLayers, TransformerLayers>;

template <class T>
std::unique_ptr<SequenceLayers<T>> MakeLayers(const LayersOptions& options,
                                              const LayersPlace& place) {
  return std::visit(
      [&](const auto& kind) { return MakeLayers<T>(kind, place); }, options);
}

inline size_t OutputDim(const LayersOptions& options) {
  return std::visit([](const auto& kind) { return kind.output_dim(); },
                    options);
}
inline size_t NumLayers(const LayersOptions& options) {
  return std::visit([](const auto& kind) { return kind.layers; }, options);
}
// Returns the number of trained values in layers, without biases, or 2^64 - 1
// if it is larger than that.
inline uint64_t CountParameters(const LayersOptions& options,
                                size_t input_dim) {
  return std::visit(
      [&](const auto& kind) { return CountParameters(kind, input_dim); },
      options);
}

}  // namespace firth::nn

#endif  // FIRTH_NN_LAYERS_H_
