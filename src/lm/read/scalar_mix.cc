#include "lm/read/scalar_mix.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "nn/elementwise.h"
#include "nn/sequence_layers.h"

namespace firth {

FieldTable ScalarMixOptions::Fields() {
  using Options = ScalarMixOptions;
  FieldsOf<Options> fields;
  fields.Add("layers", &Options::layers, "", Field().Range(0, nn::kMostLayers));
  fields.Add("layer_norm", &Options::layer_norm, "");
  fields.Add("top_only", &Options::top_only, "");
  return fields;
}

template <class T>
ScalarMix<T>::ScalarMix(const ScalarMixOptions& options, absl::string_view name)
    : options_(options),
      w_(absl::StrCat(name, ".w"), 1, options.layers),
      gamma_(absl::StrCat(name, ".gamma"), 1, 1),
      layers_(options.layers),
      norms_(options.layer_norm ? options.layers : 0) {
  FIRTH_CHECK(options.layers > 0);
  gamma_.value.Fill(1);
  w_.frozen = options.top_only;
}

template <class T>
void ScalarMix<T>::AppendParameters(nn::ParameterList<T>* list) {
  list->push_back(&w_);
  list->push_back(&gamma_);
}

template <class T>
std::vector<T> ScalarMix<T>::weights() const {
  std::vector<T> share(options_.layers);
  if (options_.top_only) {
    share.back() = 1;
    return share;
  }
  std::copy_n(w_.value.data(), share.size(), share.begin());
  nn::Softmax(share.size(), T{1}, nullptr, share.data());
  return share;
}

template <class T>
void ScalarMix<T>::set_weights(absl::Span<const T> w, T gamma) {
  FIRTH_CHECK(w.size() == options_.layers);
  std::copy(w.begin(), w.end(), w_.value.data());
  gamma_.value.data()[0] = gamma;
}

template <class T>
ConstView<T> ScalarMix<T>::Forward(absl::Span<const ConstView<T>> layers) {
  FIRTH_CHECK(layers.size() == options_.layers);
  share_ = weights();
  const size_t rows = layers[0].rows(), dim = layers[0].cols();
  sum_.Resize(rows, dim);
  sum_.Fill(0);
  for (size_t j = First(); j < layers.size(); ++j) {
    FIRTH_CHECK(layers[j].rows() == rows && layers[j].cols() == dim);
    layers_[j] = options_.layer_norm ? norms_[j].Forward(layers[j]) : layers[j];
    for (size_t r = 0; r < rows; ++r) {
      nn::AddScaled(dim, share_[j], layers_[j].Row(r), sum_.Row(r));
    }
  }
  output_.Resize(rows, dim);
  for (size_t i = 0; i < sum_.size(); ++i) {
    output_.data()[i] = gamma() * sum_.data()[i];
  }
  return std::as_const(output_).view();
}

template <class T>
void ScalarMix<T>::Backward(ConstView<T> d_output,
                            absl::Span<const View<T>> d_layers) {
  FIRTH_CHECK(d_layers.empty() || d_layers.size() == options_.layers);
  const size_t dim = d_output.cols();
  std::vector<T> d_share(options_.layers);
  T mean = 0;  // of d_share, weighted by the shares
  for (size_t r = 0; r < d_output.rows(); ++r) {
    const T* const d = d_output.Row(r);
    gamma_.gradient.Row(0)[0] += nn::DotProduct(dim, d, sum_.Row(r));
    for (size_t j = First(); j < options_.layers; ++j) {
      d_share[j] += gamma() * nn::DotProduct(dim, d, layers_[j].Row(r));
    }
  }
  for (size_t j = 0; j < options_.layers; ++j) mean += share_[j] * d_share[j];
  for (size_t j = First(); j < options_.layers; ++j) {
    w_.gradient.Row(0)[j] += share_[j] * (d_share[j] - mean);
  }
  for (size_t j = 0; j < d_layers.size(); ++j) {
    nn::SetZero(d_layers[j]);
    if (j < First()) continue;
    for (size_t r = 0; r < d_output.rows(); ++r) {
      nn::AddScaled(dim, gamma() * share_[j], d_output.Row(r),
                    d_layers[j].Row(r));
    }
    if (options_.layer_norm) norms_[j].Backward(d_layers[j]);
  }
}

template <class T>
double ScalarMix<T>::Penalize() {
  if (options_.top_only) return 0;
  double sum = 0;
  for (size_t j = 0; j < options_.layers; ++j) {
    const T w = w_.value.data()[j];
    sum += static_cast<double>(w * w);
    w_.gradient.Row(0)[j] += static_cast<T>(2 * options_.l2) * w;
  }
  return options_.l2 * sum;
}

template class ScalarMix<float>;
#ifdef FIRTH_DOUBLES
template class ScalarMix<double>;
#endif

}  // namespace firth
