// Layer normalization (Ba, Kiros and Hinton, "Layer normalization", 2016) of
// each row:
//
//   y = (x - mean(x)) / sqrt(variance(x) + epsilon)
//
// or, with a trained gain and bias, y gain + bias.

#ifndef FIRTH_NN_LAYER_NORM_H_
#define FIRTH_NN_LAYER_NORM_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "nn/matrix.h"
#include "nn/parameter.h"

namespace firth::nn {

// Layer normalization without gain and bias.
template <class T>
class LayerNorm {
 public:
  explicit LayerNorm(double epsilon = 1e-12) : epsilon_(epsilon) {}

  // Returns [rows, dim], valid until the next call.
  ConstView<T> Forward(ConstView<T> input);
  ConstView<T> output() const { return output_.view(); }
  // Replaces the gradient of the output of Forward() by that of its input.
  void Backward(View<T> gradient) const;

 private:
  double epsilon_;
  Matrix<T> output_;
  std::vector<T> inverse_deviation_;  // [rows]
};

// Layer normalization with "<name>.gain", which starts with 1, and
// "<name>.bias", which starts with 0.
template <class T>
class GainedNorm {
 public:
  GainedNorm(size_t dim, double epsilon, absl::string_view name);

  void AppendParameters(ParameterList<T>* list);
  // Like LayerNorm. Backward() also adds to the parameters' gradients.
  ConstView<T> Forward(ConstView<T> input);
  void Backward(View<T> gradient);

 private:
  LayerNorm<T> norm_;
  Parameter<T> gain_;
  Parameter<T> bias_;
  Matrix<T> output_;
};

}  // namespace firth::nn

#endif  // FIRTH_NN_LAYER_NORM_H_
