#include "nn/dropout.h"

#include <cmath>

#include "base/check.h"
#include "base/rng.h"

namespace firth::nn {
namespace {

constexpr double kTwoTo16 = 65536;

// Draws four factors from one number: 16 bits decide well enough.
template <class T>
void DrawFactors(double rate, uint64_t key, Matrix<T>& factors) {
  const auto threshold = static_cast<uint64_t>(std::lround(rate * kTwoTo16));
  const T kept =
      static_cast<T>(1 / (1 - static_cast<double>(threshold) / kTwoTo16));
  Rng rng(key);
  for (size_t i = 0; i < factors.size(); i += 4) {
    uint64_t bits = rng.Next();
    for (size_t k = i; k < i + 4 && k < factors.size(); ++k, bits >>= 16) {
      factors.data()[k] = (bits & 0xffff) < threshold ? T{0} : kept;
    }
  }
}

}  // namespace

template <class T>
ConstView<T> Dropout<T>::Forward(ConstView<T> input, DropoutKey key) {
  dropped_ = key.has_value() && rate_ > 0;
  if (!dropped_) return input;
  factors_.Resize(input.rows(), input.cols());
  output_.Resize(input.rows(), input.cols());
  DrawFactors(rate_, *key, factors_);
  for (size_t r = 0; r < input.rows(); ++r) {
    const T* const factors = factors_.Row(r);
    T* const output = output_.Row(r);
    for (size_t c = 0; c < input.cols(); ++c) {
      output[c] = input.Row(r)[c] * factors[c];
    }
  }
  return output_.view();
}

template <class T>
void Dropout<T>::Backward(View<T> gradient) const {
  if (!dropped_) return;
  FIRTH_CHECK(gradient.rows() == factors_.rows());
  for (size_t r = 0; r < gradient.rows(); ++r) {
    const T* const factors = factors_.Row(r);
    T* const row = gradient.Row(r);
    for (size_t c = 0; c < gradient.cols(); ++c) row[c] *= factors[c];
  }
}

template class Dropout<float>;
#ifdef FIRTH_DOUBLES
template class Dropout<double>;
#endif

}  // namespace firth::nn
