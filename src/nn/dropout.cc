#include "nn/dropout.h"

#include <cmath>

#include "base/check.h"
#include "base/rng.h"

namespace firth::nn {
namespace {

constexpr double kTwoTo16 = 65536;

// Draws four factors from one number, because 16 bits are precise enough.
template <class T>
void DrawFactors(double rate, uint64_t key, Matrix<T>& factors) {
  const auto threshold = static_cast<uint64_t>(std::lround(rate * kTwoTo16));
  const T kept =
      static_cast<T>(1 / (1 - static_cast<double>(threshold) / kTwoTo16));
  ForNumbers(factors.size(), [&](size_t begin, size_t end) {
    Rng rng(key);
    rng.Skip(begin / 4);
    for (size_t i = begin; i < end; i += 4) {
      uint64_t bits = rng.Next();
      for (size_t k = i; k < i + 4 && k < end; ++k, bits >>= 16) {
        factors.data()[k] = (bits & 0xffff) < threshold ? T{0} : kept;
      }
    }
  });
}

}  // namespace

template <class T>
ConstView<T> Dropout<T>::Forward(ConstView<T> input, DropoutKey key) {
  dropped_ = key.has_value() && rate_ > 0;
  if (!dropped_) return input;
  factors_.Resize(input.rows(), input.cols());
  output_.Resize(input.rows(), input.cols());
  DrawFactors(rate_, *key, factors_);
  ForRows(input.rows(), input.cols(), [&](size_t begin, size_t end) {
    for (size_t r = begin; r < end; ++r) {
      MultiplyEach(input.cols(), input.Row(r), factors_.Row(r), output_.Row(r));
    }
  });
  return output_.view();
}

template <class T>
void Dropout<T>::Backward(View<T> gradient) const {
  if (!dropped_) return;
  FIRTH_CHECK(gradient.rows() == factors_.rows());
  ForRows(gradient.rows(), gradient.cols(), [&](size_t begin, size_t end) {
    for (size_t r = begin; r < end; ++r) {
      T* const row = gradient.Row(r);
      MultiplyEach(gradient.cols(), row, factors_.Row(r), row);
    }
  });
}

template class Dropout<float>;
#ifdef FIRTH_DOUBLES
template class Dropout<double>;
#endif

}  // namespace firth::nn
