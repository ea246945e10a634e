#include "nn/layer_norm.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "nn/elementwise.h"

namespace firth::nn {

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

template class LayerNorm<float>;
template class GainedNorm<float>;
#ifdef FIRTH_DOUBLES
template class LayerNorm<double>;
template class GainedNorm<double>;
#endif

}  // namespace firth::nn
