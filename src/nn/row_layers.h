// Layers that treat each row separately: normalization, dropout, linear layers,
// and the small networks made of them.

#ifndef FIRTH_NN_ROW_LAYERS_H_
#define FIRTH_NN_ROW_LAYERS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/network_kinds.h"
#include "nn/elementwise.h"
#include "nn/matrix.h"
#include "nn/parameter.h"

namespace firth::nn {

// Layer normalization (Ba, Kiros and Hinton, "Layer normalization", 2016) of
// each row, without gain and bias:
//
//   y = (x - mean(x)) / sqrt(variance(x) + epsilon)
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

// y gain + bias, where y is normalized as above. The gain, "<name>.gain",
// starts with 1, and the bias, "<name>.bias", with 0.
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

// Key from which a layer draws in training; nullopt outside of training.
using DropoutKey = std::optional<uint64_t>;

// Sets `to` to `from` after dropout at this rate, drawn by the key.
template <class T>
void DropEach(double rate, uint64_t key, absl::Span<const T> from, T* to);
// Replaces the gradients of `dropped`, the result of DropEach(), by those of
// its input. Where that was 0, the gradient becomes 0.
template <class T>
void UndropEach(double rate, absl::Span<const T> dropped, T* gradients);

// Inverted dropout (Srivastava et al. 2014): in training, a number is set to 0
// with probability `rate`, otherwise divided by 1 - rate.
template <class T>
class Dropout {
 public:
  // `rate` must be in [0, 1).
  explicit Dropout(double rate) : rate_(rate) {}

  // Returns `input` itself if there is nothing to drop, otherwise a view of the
  // result, valid until the next call.
  ConstView<T> Forward(ConstView<T> input, DropoutKey key);
  // Returns whether Forward() dropped something.
  bool dropped() const { return dropped_; }
  // Replaces the gradient of the output of Forward() by that of its input.
  void Backward(View<T> gradient) const;

 private:
  double rate_;
  bool dropped_ = false;
  Matrix<T> factors_;
  Matrix<T> output_;
};

// y = x W + b
template <class T>
class Linear {
 public:
  // Weights are normal with deviation scale / sqrt(input_dim); the bias is 0.
  Linear(size_t input_dim, size_t output_dim, absl::string_view name,
         uint64_t key, double scale = 1);

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

// A highway layer (Srivastava, Greff and Schmidhuber, "Highway networks",
// 2015), as in ELMo:
//
//   y = g relu(x W_t + b_t) + (1 - g) x       g = s(x W_g + b_g)
//
// One product computes both; the gate's columns come first.
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

// The position-wise network of a Transformer (Vaswani et al., "Attention is all
// you need", 2017, section 3.3):
//
//   y = f(x W_1 + b_1) W_2 + b_2
template <class T>
class FeedForward {
 public:
  // Maps dim values to `inner` values and back. Parameters are those of two
  // Linear, "<name>.inner" and "<name>.outer"; the scale is that of the latter.
  FeedForward(size_t dim, size_t inner, Activation activation,
              absl::string_view name, uint64_t key, double scale = 1);

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

// BERT's transform of the top before words are scored (Devlin et al., "BERT:
// pre-training of deep bidirectional transformers for language understanding",
// 2019, and its published code):
//
//   y = norm(f(x W + b))
//
// It separates the vector that predicts a word from the word's vector in
// context.
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

#endif  // FIRTH_NN_ROW_LAYERS_H_
