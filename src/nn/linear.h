// A linear layer, y = x W + b.

#ifndef FIRTH_NN_LINEAR_H_
#define FIRTH_NN_LINEAR_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "nn/matrix.h"
#include "nn/parameter.h"
#include "nn/repeated_factor.h"

namespace firth::nn {

template <class T>
class Linear {
 public:
  // Weights are normal with deviation 1 / sqrt(input_dim); the bias is 0.
  Linear(size_t input_dim, size_t output_dim, absl::string_view name,
         uint64_t key);

  size_t input_dim() const { return weights_.value.rows(); }
  size_t output_dim() const { return weights_.value.cols(); }
  void AppendParameters(ParameterList<T>* list);
  Parameter<T>& weights() { return weights_; }
  const Parameter<T>& weights() const { return weights_; }
  Parameter<T>& bias() { return bias_; }

  // Keeps a copy of the weights in the fastest layout for products. Unpack()
  // must be called before a weight changes.
  void Pack() {
    packed_.Set(Transpose::kNo, weights_.value.view());
    is_packed_ = true;
  }
  void Unpack() { is_packed_ = false; }

  // Computes as many columns of y as `output` has, from column `first` on.
  // Stores nothing, so all threads can call it at the same time.
  void Forward(ConstView<T> input, View<T> output, size_t first = 0) const;
  // d_input is empty if it is not required.
  void Backward(ConstView<T> input, ConstView<T> d_output, View<T> d_input,
                size_t first = 0);

 private:
  Parameter<T> weights_;  // [input_dim, output_dim]
  Parameter<T> bias_;     // [1, output_dim]
  RepeatedFactor<T> packed_;
  bool is_packed_ = false;
};

}  // namespace firth::nn

#endif  // FIRTH_NN_LINEAR_H_
