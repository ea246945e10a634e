// Dropout draws four factors from each random number. The numbers depend only
// on the key and the position, so that results do not depend on the threads.

#include "nn/row_layers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/rng.h"

namespace firth::nn {
namespace {

constexpr double kFirstGateBias = -2;

constexpr double kTwoTo16 = 65536;

// 16 bits are precise enough for a rate.
uint64_t ThresholdOf(double rate) {
  return static_cast<uint64_t>(std::lround(rate * kTwoTo16));
}

// Returns the factor of a number that is not dropped.
template <class T>
T KeptFactor(double rate) {
  return static_cast<T>(
      1 / (1 - static_cast<double>(ThresholdOf(rate)) / kTwoTo16));
}

// Draws four factors from one number.
template <class T>
void DrawFactors(double rate, uint64_t key, Matrix<T>& factors) {
  const uint64_t threshold = ThresholdOf(rate);
  const T kept = KeptFactor<T>(rate);
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
void DropEach(double rate, uint64_t key, absl::Span<const T> from, T* to) {
  const uint64_t threshold = ThresholdOf(rate);
  const T kept = KeptFactor<T>(rate);
  Rng rng(key);
  for (size_t i = 0; i < from.size(); i += 4) {
    uint64_t bits = rng.Next();
    for (size_t k = i; k < i + 4 && k < from.size(); ++k, bits >>= 16) {
      to[k] = (bits & 0xffff) < threshold ? T{0} : from[k] * kept;
    }
  }
}

template <class T>
void UndropEach(double rate, absl::Span<const T> dropped, T* gradients) {
  const T kept = KeptFactor<T>(rate);
  for (size_t i = 0; i < dropped.size(); ++i) {
    gradients[i] = dropped[i] == 0 ? T{0} : gradients[i] * kept;
  }
}

template <class T>
ConstView<T> LayerNorm<T>::Forward(ConstView<T> input) {
  output_.Resize(input.rows(), input.cols());
  inverse_deviation_.resize(input.rows());
  ForRows(input.rows(), input.cols(), [&](size_t begin, size_t end) {
    for (size_t r = begin; r < end; ++r) {
      inverse_deviation_[r] = Normalize(input.cols(), static_cast<T>(epsilon_),
                                        input.Row(r), output_.Row(r));
    }
  });
  return output();
}

template <class T>
void LayerNorm<T>::Backward(View<T> gradient) const {
  FIRTH_CHECK(gradient.rows() == output_.rows());
  ForRows(gradient.rows(), gradient.cols(), [&](size_t begin, size_t end) {
    for (size_t r = begin; r < end; ++r) {
      NormalizeBackward(gradient.cols(), inverse_deviation_[r], output_.Row(r),
                        gradient.Row(r));
    }
  });
}

template <class T>
GainedNorm<T>::GainedNorm(size_t dim, double epsilon, absl::string_view name)
    : norm_(epsilon),
      gain_(absl::StrCat(name, ".gain"), 1, dim),
      bias_(absl::StrCat(name, ".bias"), 1, dim) {
  gain_.value.Fill(1);
}

template <class T>
void GainedNorm<T>::AppendParameters(ParameterList<T>* list) {
  list->push_back(&gain_);
  list->push_back(&bias_);
}

template <class T>
ConstView<T> GainedNorm<T>::Forward(ConstView<T> input) {
  const ConstView<T> normal = norm_.Forward(input);
  output_.Resize(input.rows(), input.cols());
  ForRows(input.rows(), input.cols(), [&](size_t begin, size_t end) {
    for (size_t r = begin; r < end; ++r) {
      std::copy_n(bias_.value.data(), input.cols(), output_.Row(r));
      AddProducts(input.cols(), normal.Row(r), gain_.value.data(),
                  output_.Row(r));
    }
  });
  return std::as_const(output_).view();
}

template <class T>
void GainedNorm<T>::Backward(View<T> gradient) {
  const size_t rows = gradient.rows();
  const ConstView<T> normal = norm_.output();
  FIRTH_CHECK(rows == normal.rows());
  ForColumns(rows, gradient.cols(), [&](size_t begin, size_t end) {
    for (size_t r = 0; r < rows; ++r) {
      T* const d = gradient.Row(r) + begin;
      const size_t count = end - begin;
      AddProducts(count, d, normal.Row(r) + begin,
                  gain_.gradient.Row(0) + begin);
      AddScaled(count, T{1}, d, bias_.gradient.Row(0) + begin);
      MultiplyEach(count, d, gain_.value.data() + begin, d);
    }
  });
  norm_.Backward(gradient);
}

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

template <class T>
Linear<T>::Linear(size_t input_dim, size_t output_dim, absl::string_view name,
                  uint64_t key, double scale)
    : weights_(absl::StrCat(name, ".weights"), input_dim, output_dim),
      bias_(absl::StrCat(name, ".bias"), 1, output_dim) {
  FillNormal(scale / std::sqrt(static_cast<double>(input_dim)), key,
             weights_.value);
}

template <class T>
void Linear<T>::AppendParameters(ParameterList<T>* list) {
  list->push_back(&weights_);
  list->push_back(&bias_);
}

template <class T>
void Linear<T>::Forward(ConstView<T> input, View<T> output,
                        size_t first) const {
  if (is_packed_ && output.cols() == output_dim()) {
    packed_.Multiply(input, Into::kOverwrite, output);
  } else {
    Multiply(input, weights_.value.view().Cols(first, output.cols()),
             Into::kOverwrite, output);
  }
  AddToRows(bias_.value.data() + first, output);
}

template <class T>
void Linear<T>::Backward(ConstView<T> input, ConstView<T> d_output,
                         View<T> d_input, size_t first) {
  const size_t cols = d_output.cols();
  AddWeightGradient(input, d_output,
                    weights_.gradient.view().Cols(first, cols));
  AddColumnSums(d_output, bias_.gradient.Row(0) + first);
  if (!d_input.empty()) {
    MultiplyBack(d_output, weights_.value.view().Cols(first, cols),
                 Into::kOverwrite, d_input);
  }
}

template <class T>
Highway<T>::Highway(size_t dim, absl::string_view name, uint64_t key)
    : dim_(dim),
      weights_(absl::StrCat(name, ".weights"), dim, 2 * dim),
      bias_(absl::StrCat(name, ".bias"), 1, 2 * dim) {
  FillNormal(1 / std::sqrt(static_cast<double>(dim)), key, weights_.value);
  std::fill_n(bias_.value.data(), dim, static_cast<T>(kFirstGateBias));
}

template <class T>
void Highway<T>::AppendParameters(ParameterList<T>* list) {
  list->push_back(&weights_);
  list->push_back(&bias_);
}

template <class T>
ConstView<T> Highway<T>::Forward(ConstView<T> input) {
  parts_.Resize(input.rows(), 2 * dim_);
  output_.Resize(input.rows(), dim_);
  Multiply(input, weights_.value.view(), Into::kOverwrite, parts_.view());
  ForRows(input.rows(), dim_, [&](size_t begin, size_t end) {
    for (size_t r = begin; r < end; ++r) {
      HighwayForward(dim_, bias_.value.data(), input.Row(r), parts_.Row(r),
                     output_.Row(r));
    }
  });
  return output_.view();
}

template <class T>
void Highway<T>::Backward(ConstView<T> input, ConstView<T> d_output,
                          View<T> d_input) {
  ForRows(input.rows(), dim_, [&](size_t begin, size_t end) {
    for (size_t r = begin; r < end; ++r) {
      HighwayBackward(dim_, input.Row(r), d_output.Row(r), parts_.Row(r),
                      d_input.Row(r));
    }
  });
  AddWeightGradient(input, parts_.view(), weights_.gradient.view());
  AddColumnSums(parts_.view(), bias_.gradient.Row(0));
  MultiplyBack(parts_.view(), weights_.value.view(), Into::kAdd, d_input);
}

template <class T>
FeedForward<T>::FeedForward(size_t dim, size_t inner, Activation activation,
                            absl::string_view name, uint64_t key, double scale)
    : activation_(activation),
      inner_(dim, inner, absl::StrCat(name, ".inner"), CombineKeys(key, 0)),
      outer_(inner, dim, absl::StrCat(name, ".outer"), CombineKeys(key, 1),
             scale) {}

template <class T>
void FeedForward<T>::AppendParameters(ParameterList<T>* list) {
  inner_.AppendParameters(list);
  outer_.AppendParameters(list);
}

template <class T>
ConstView<T> FeedForward<T>::Forward(ConstView<T> input, bool training) {
  hidden_.Resize(input.rows(), inner_.output_dim());
  inner_.Forward(input, hidden_.view());
  if (training) slopes_.Resize(hidden_.rows(), hidden_.cols());
  ForNumbers(hidden_.size(), [&](size_t begin, size_t end) {
    Activate(activation_, end - begin, hidden_.data() + begin,
             training ? slopes_.data() + begin : nullptr);
  });
  output_.Resize(input.rows(), outer_.output_dim());
  outer_.Forward(hidden_.view(), output_.view());
  return std::as_const(output_).view();
}

template <class T>
void FeedForward<T>::Backward(ConstView<T> input, ConstView<T> d_output,
                              View<T> d_input) {
  d_hidden_.Resize(hidden_.rows(), hidden_.cols());
  outer_.Backward(hidden_.view(), d_output, d_hidden_.view());
  ForNumbers(d_hidden_.size(), [&](size_t begin, size_t end) {
    T* const d_hidden = d_hidden_.data() + begin;
    MultiplyEach(end - begin, slopes_.data() + begin, d_hidden, d_hidden);
  });
  inner_.Backward(input, d_hidden_.view(), d_input);
}

template <class T>
TopTransform<T>::TopTransform(size_t dim, Activation activation, double epsilon,
                              absl::string_view name, uint64_t key)
    : activation_(activation),
      linear_(dim, dim, name, key),
      norm_(dim, epsilon, absl::StrCat(name, "_norm")) {}

template <class T>
void TopTransform<T>::AppendParameters(ParameterList<T>* list) {
  linear_.AppendParameters(list);
  norm_.AppendParameters(list);
}

template <class T>
ConstView<T> TopTransform<T>::Forward(ConstView<T> input, bool training) {
  input_ = input;
  hidden_.Resize(input.rows(), input.cols());
  linear_.Forward(input, hidden_.view());
  if (training) slopes_.Resize(hidden_.rows(), hidden_.cols());
  Activate(activation_, hidden_.size(), hidden_.data(),
           training ? slopes_.data() : nullptr);
  return norm_.Forward(std::as_const(hidden_).view());
}

template <class T>
void TopTransform<T>::Backward(View<T> gradient) {
  norm_.Backward(gradient);
  for (size_t row = 0; row < gradient.rows(); ++row) {
    MultiplyEach(gradient.cols(), slopes_.Row(row), gradient.Row(row),
                 hidden_.Row(row));
  }
  linear_.Backward(input_, std::as_const(hidden_).view(), gradient);
}

template void DropEach(double, uint64_t, absl::Span<const float>, float*);
template void UndropEach(double, absl::Span<const float>, float*);
template class LayerNorm<float>;
template class GainedNorm<float>;
template class Dropout<float>;
template class Linear<float>;
template class Highway<float>;
template class FeedForward<float>;
template class TopTransform<float>;
#ifdef FIRTH_DOUBLES
template void DropEach(double, uint64_t, absl::Span<const double>, double*);
template void UndropEach(double, absl::Span<const double>, double*);
template class LayerNorm<double>;
template class GainedNorm<double>;
template class Dropout<double>;
template class Linear<double>;
template class Highway<double>;
template class FeedForward<double>;
template class TopTransform<double>;
#endif

}  // namespace firth::nn
