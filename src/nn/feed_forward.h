// The position-wise network of a Transformer (Vaswani et al., "Attention is all
// you need", 2017, section 3.3), applied to each row separately:
//
//   y = f(x W_1 + b_1) W_2 + b_2

#ifndef FIRTH_NN_FEED_FORWARD_H_
#define FIRTH_NN_FEED_FORWARD_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "nn/elementwise.h"
#include "nn/linear.h"
#include "nn/matrix.h"
#include "nn/parameter.h"

namespace firth::nn {

template <class T>
class FeedForward {
 public:
  // Maps dim values to `inner` values and back. Parameters are those of two
  // Linear, "<name>.inner" and "<name>.outer".
  FeedForward(size_t dim, size_t inner, Activation activation,
              absl::string_view name, uint64_t key);

  void AppendParameters(ParameterList<T>* list);
  template <class F>
  void ForEachLinear(const F& f) {
    f(inner_);
    f(outer_);
  }
  // Returns [rows, dim], valid until the next call. Backward() needs
  // `training`.
  ConstView<T> Forward(ConstView<T> input, bool training);
  // Overwrites d_input. Must follow Forward() with this input.
  void Backward(ConstView<T> input, ConstView<T> d_output, View<T> d_input);

 private:
  Activation activation_;
  Linear<T> inner_;
  Linear<T> outer_;
  Matrix<T> hidden_;    // [rows, inner]
  Matrix<T> slopes_;    // [rows, inner]
  Matrix<T> d_hidden_;  // [rows, inner]
  Matrix<T> output_;
};

}  // namespace firth::nn

#endif  // FIRTH_NN_FEED_FORWARD_H_
