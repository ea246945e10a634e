#include "nn/layer_norm.h"

#include <cmath>

#include "base/check.h"
#include "nn/elementwise.h"

namespace firth::nn {
namespace {

constexpr double kEpsilon = 1e-12;

}  // namespace

template <class T>
ConstView<T> LayerNorm<T>::Forward(ConstView<T> input) {
  output_.Resize(input.rows(), input.cols());
  inverse_deviation_.resize(input.rows());
  const auto dim = static_cast<T>(input.cols());
  for (size_t r = 0; r < input.rows(); ++r) {
    const T* const row = input.Row(r);
    T mean = 0, square = 0;
    for (size_t c = 0; c < input.cols(); ++c) mean += row[c] / dim;
    for (size_t c = 0; c < input.cols(); ++c) {
      square += (row[c] - mean) * (row[c] - mean) / dim;
    }
    const T inverse = 1 / std::sqrt(square + static_cast<T>(kEpsilon));
    inverse_deviation_[r] = inverse;
    for (size_t c = 0; c < input.cols(); ++c) {
      output_.Row(r)[c] = (row[c] - mean) * inverse;
    }
  }
  return output_.view();
}

// dx = (d - mean(d) - y mean(d y)) / deviation.
template <class T>
void LayerNorm<T>::Backward(View<T> gradient) const {
  FIRTH_CHECK(gradient.rows() == output_.rows());
  const auto dim = static_cast<T>(gradient.cols());
  for (size_t r = 0; r < gradient.rows(); ++r) {
    T* const d = gradient.Row(r);
    const T* const y = output_.Row(r);
    T mean = 0;
    for (size_t c = 0; c < gradient.cols(); ++c) mean += d[c] / dim;
    const T along = DotProduct(gradient.cols(), d, y) / dim;
    for (size_t c = 0; c < gradient.cols(); ++c) {
      d[c] = (d[c] - mean - y[c] * along) * inverse_deviation_[r];
    }
  }
}

template class LayerNorm<float>;
template class LayerNorm<double>;

}  // namespace firth::nn
