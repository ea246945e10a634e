#include "nn/top_transform.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "nn/elementwise.h"

namespace firth::nn {

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

template class TopTransform<float>;
#ifdef FIRTH_DOUBLES
template class TopTransform<double>;
#endif

}  // namespace firth::nn
