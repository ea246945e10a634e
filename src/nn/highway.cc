#include "nn/highway.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "nn/elementwise.h"

namespace firth::nn {
namespace {

constexpr double kFirstGateBias = -2;

}  // namespace

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

template class Highway<float>;
#ifdef FIRTH_DOUBLES
template class Highway<double>;
#endif

}  // namespace firth::nn
