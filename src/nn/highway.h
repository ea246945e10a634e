// A highway layer (Srivastava, Greff and Schmidhuber, "Highway networks",
// 2015), as in ELMo:
//
//   y = g relu(x W_t + b_t) + (1 - g) x       g = s(x W_g + b_g)
//
// One product computes both; the gate's columns come first.

#ifndef FIRTH_NN_HIGHWAY_H_
#define FIRTH_NN_HIGHWAY_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "nn/matrix.h"
#include "nn/parameter.h"

namespace firth::nn {

template <class T>
class Highway {
 public:
  // Weights are normal with deviation 1 / sqrt(dim). The gate's bias is -2, so
  // that the input mostly passes at first.
  Highway(size_t dim, absl::string_view name, uint64_t key);

  void AppendParameters(ParameterList<T>* list);
  Parameter<T>& weights() { return weights_; }
  Parameter<T>& bias() { return bias_; }

  // Maps [n, dim] to [n, dim], valid until the next call.
  ConstView<T> Forward(ConstView<T> input);
  ConstView<T> output() const { return output_.view(); }
  void Backward(ConstView<T> input, ConstView<T> d_output, View<T> d_input);

 private:
  size_t dim_;
  Parameter<T> weights_;  // [dim, 2 dim]: gate, transform
  Parameter<T> bias_;     // [1, 2 dim]
  Matrix<T> parts_;       // [n, 2 dim]: activations, then gradients
  Matrix<T> output_;
};

}  // namespace firth::nn

#endif  // FIRTH_NN_HIGHWAY_H_
