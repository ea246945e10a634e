// A network over a fixed window (Bengio, Ducharme, Vincent and Jauvin, "A
// neural probabilistic language model", 2003, without the direct connections
// from words to scores). The vector of a step depends only on the last n words,
//
//   y_0[t] = tanh([x[t]; x[t-1]; ...; x[t-n+1]] W_0 + b_0)
//   y_l[t] = tanh(y_{l-1}[t] W_l + b_l)          further layers, in a Stack
//
// with zeros for words before the beginning of the text. It trains faster than
// recurrent layers, since steps do not depend on each other, but uses less
// context. The state consists of the last n - 1 words.

#ifndef FIRTH_NN_WINDOW_LAYERS_H_
#define FIRTH_NN_WINDOW_LAYERS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "nn/row_layers.h"
#include "nn/stack.h"

namespace firth::nn {

struct WindowLayers {
  static constexpr char kSection[] = "window";
  static FieldTable Fields();

  size_t window = 5;  // n: number of words, including the current
  size_t units = 0;   // of every layer
  size_t layers = 1;
  bool residual = false;
  double dropout = 0;

  size_t output_dim() const { return units; }
};

template <class T>
std::unique_ptr<SequenceLayers<T>> MakeLayers(const WindowLayers& options,
                                              const LayersPlace& place);
uint64_t CountParameters(const WindowLayers& options, size_t input_dim);

// One layer. Its state is "inputs" [batch, (window - 1) * input_dim], with the
// last word first. There is no state if the window is 1.
template <class T>
class WindowLayer : public Layer<T> {
 public:
  WindowLayer(size_t window, size_t units, const LayersPlace& place);

  size_t output_dim() const override { return linear_.output_dim(); }
  void AppendParameters(ParameterList<T>* list) override {
    linear_.AppendParameters(list);
  }
  void AppendState(absl::string_view prefix, size_t batch,
                   LayerState<T>* state) const override;
  ConstView<T> Forward(ConstView<T> input, const ChunkShape& shape,
                       absl::Span<StatePart<T>> state) override;
  void Backward(ConstView<T> input, ConstView<T> d_output, View<T> d_input,
                absl::Span<StatePart<T>> d_state) override;

 private:
  // Returns the row of the k-th step that sequence b reads.
  size_t RowOf(size_t b, size_t k) const {
    return (reversed_ ? lengths_[b] - 1 - k : k) * lengths_.size() + b;
  }
  void Gather(ConstView<T> input, Matrix<T>* state);
  void CarryOn(ConstView<T> input, Matrix<T>* state) const;

  size_t window_;
  size_t input_dim_;
  bool reversed_;
  Linear<T> linear_;
  std::vector<size_t> lengths_;  // Length of each sequence of the chunk.
  Matrix<T> words_;              // [rows, window * input_dim]
  Matrix<T> output_;
  Matrix<T> d_sums_;   // [rows, units]: gradient of the tanh's input
  Matrix<T> d_words_;  // [rows, window * input_dim]
};

}  // namespace firth::nn

#endif  // FIRTH_NN_WINDOW_LAYERS_H_
