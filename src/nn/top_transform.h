// BERT's transform of the top before words are scored (Devlin et al., "BERT:
// pre-training of deep bidirectional transformers for language understanding",
// 2019, and its published code):
//
//   y = norm(f(x W + b))
//
// It separates the vector that predicts a word from the word's vector in
// context.

#ifndef FIRTH_NN_TOP_TRANSFORM_H_
#define FIRTH_NN_TOP_TRANSFORM_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "firth/network_kinds.h"
#include "nn/layer_norm.h"
#include "nn/linear.h"
#include "nn/matrix.h"
#include "nn/parameter.h"

namespace firth::nn {

template <class T>
class TopTransform {
 public:
  // Maps dim values to dim values. Parameters are those of a Linear, "<name>",
  // and of a GainedNorm, "<name>_norm".
  TopTransform(size_t dim, Activation activation, double epsilon,
               absl::string_view name, uint64_t key);

  void AppendParameters(ParameterList<T>* list);
  // Returns [rows, dim], valid until the next call. Backward() needs
  // `training`.
  ConstView<T> Forward(ConstView<T> input, bool training);
  // Replaces the gradient of the output by that of the input. Must follow
  // Forward().
  void Backward(View<T> gradient);

 private:
  Activation activation_;
  Linear<T> linear_;
  GainedNorm<T> norm_;
  ConstView<T> input_;
  Matrix<T> hidden_;  // [rows, dim]
  Matrix<T> slopes_;  // [rows, dim]
};

}  // namespace firth::nn

#endif  // FIRTH_NN_TOP_TRANSFORM_H_
