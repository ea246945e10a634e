// Layer normalization (Ba, Kiros and Hinton, "Layer normalization", 2016) of
// each row, without gain and bias:
//
//   y = (x - mean(x)) / sqrt(variance(x) + epsilon)

#ifndef FIRTH_NN_LAYER_NORM_H_
#define FIRTH_NN_LAYER_NORM_H_

#include <vector>

#include "nn/matrix.h"

namespace firth::nn {

template <class T>
class LayerNorm {
 public:
  // Returns [rows, dim], valid until the next call.
  ConstView<T> Forward(ConstView<T> input);
  // After Forward(): from the gradient by what it returned to that by its
  // input, in place.
  void Backward(View<T> gradient) const;

 private:
  Matrix<T> output_;
  std::vector<T> inverse_deviation_;  // [rows]
};

}  // namespace firth::nn

#endif  // FIRTH_NN_LAYER_NORM_H_
