#include "nn/linear.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace firth::nn {

template <class T>
Linear<T>::Linear(size_t input_dim, size_t output_dim, absl::string_view name,
                  uint64_t key)
    : weights_(absl::StrCat(name, ".weights"), input_dim, output_dim),
      bias_(absl::StrCat(name, ".bias"), 1, output_dim) {
  FillNormal(1 / std::sqrt(static_cast<double>(input_dim)), key,
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

template class Linear<float>;
#ifdef FIRTH_DOUBLES
template class Linear<double>;
#endif

}  // namespace firth::nn
