#include "nn/feed_forward.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/rng.h"

namespace firth::nn {

template <class T>
FeedForward<T>::FeedForward(size_t dim, size_t inner, Activation activation,
                            absl::string_view name, uint64_t key)
    : activation_(activation),
      inner_(dim, inner, absl::StrCat(name, ".inner"), CombineKeys(key, 0)),
      outer_(inner, dim, absl::StrCat(name, ".outer"), CombineKeys(key, 1)) {}

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

template class FeedForward<float>;
#ifdef FIRTH_DOUBLES
template class FeedForward<double>;
#endif

}  // namespace firth::nn
