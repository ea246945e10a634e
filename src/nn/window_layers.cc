// The words of each window are copied side by side into one row, so that a
// layer needs a single matrix product per chunk.

#include "nn/window_layers.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/rng.h"
#include "base/saturated.h"
#include "nn/elementwise.h"

namespace firth::nn {

FieldTable WindowLayers::Fields() {
  using Layers = WindowLayers;
  FieldsOf<Layers> fields;
  fields.Add("window", &Layers::window, "", Field().Range(1, kMostUnits));
  fields.Add("units", &Layers::units, "", Field().Range(1, kMostUnits));
  fields.Add("layers", &Layers::layers, "", Field().Range(1, kMostLayers));
  fields.Add("residual", &Layers::residual, "");
  fields.Add("dropout", &Layers::dropout, "", Field().Range(0, kMostDropout));
  return fields;
}

template <class T>
WindowLayer<T>::WindowLayer(size_t window, size_t units,
                            const LayersPlace& place)
    : window_(window),
      input_dim_(place.input_dim),
      reversed_(place.reversed),
      linear_(window * place.input_dim, units, place.name, place.key) {
  FIRTH_CHECK(window > 0);
}

template <class T>
void WindowLayer<T>::AppendState(absl::string_view prefix, size_t batch,
                                 LayerState<T>* state) const {
  if (window_ == 1) return;
  state->Add(absl::StrCat(prefix, "inputs"), batch, (window_ - 1) * input_dim_);
}

// Fills words_: the words that each step reads, side by side, the last first.
template <class T>
void WindowLayer<T>::Gather(ConstView<T> input, Matrix<T>* state) {
  words_.Resize(input.rows(), window_ * input_dim_);
  words_.Fill(0);
  for (size_t b = 0; b < lengths_.size(); ++b) {
    for (size_t k = 0; k < lengths_[b]; ++k) {
      T* const words = words_.Row(RowOf(b, k));
      for (size_t j = 0; j < window_; ++j) {
        const T* const word = j <= k ? input.Row(RowOf(b, k - j))
                                     : state->Row(b) + (j - k - 1) * input_dim_;
        std::copy_n(word, input_dim_, words + j * input_dim_);
      }
    }
  }
}

// Keeps the words that the next chunk's first step reads. In a short sequence,
// old words move towards the end, so the end is filled first.
template <class T>
void WindowLayer<T>::CarryOn(ConstView<T> input, Matrix<T>* state) const {
  for (size_t b = 0; b < lengths_.size(); ++b) {
    T* const words = state->Row(b);
    for (size_t j = window_ - 1; j-- > 0;) {
      const T* const word = j < lengths_[b]
                                ? input.Row(RowOf(b, lengths_[b] - 1 - j))
                                : words + (j - lengths_[b]) * input_dim_;
      std::copy_n(word, input_dim_, words + j * input_dim_);
    }
  }
}

template <class T>
ConstView<T> WindowLayer<T>::Forward(ConstView<T> input,
                                     const ChunkShape& shape,
                                     absl::Span<StatePart<T>> state) {
  FIRTH_CHECK(input.rows() == shape.rows() && input.cols() == input_dim_);
  lengths_.clear();
  for (size_t b = 0; b < shape.batch; ++b) lengths_.push_back(shape.length(b));
  Matrix<T>* const before = window_ > 1 ? &state[0].values : nullptr;
  Gather(input, before);
  if (before != nullptr) CarryOn(input, before);
  output_.Resize(input.rows(), output_dim());
  linear_.Forward(words_.view(), output_.view());
  Activate(Activation::kTanh, output_.size(), output_.data());
  return std::as_const(output_).view();
}

template <class T>
void WindowLayer<T>::Backward(ConstView<T> /*input*/, ConstView<T> d_output,
                              View<T> d_input,
                              absl::Span<StatePart<T>> d_state) {
  FIRTH_CHECK(d_state.empty());
  d_sums_.Resize(d_output.rows(), d_output.cols());
  d_sums_.Fill(0);
  for (size_t b = 0; b < lengths_.size(); ++b) {
    for (size_t k = 0; k < lengths_[b]; ++k) {
      const size_t row = RowOf(b, k);
      std::copy_n(d_output.Row(row), d_output.cols(), d_sums_.Row(row));
    }
  }
  ActivateBackward(Activation::kTanh, output_.size(), output_.data(),
                   d_sums_.data());
  View<T> d_words;
  if (!d_input.empty()) {
    d_words_.Resize(words_.rows(), words_.cols());
    d_words = d_words_.view();
  }
  linear_.Backward(words_.view(), d_sums_.view(), d_words);
  if (d_input.empty()) return;
  SetZero(d_input);
  for (size_t b = 0; b < lengths_.size(); ++b) {
    for (size_t k = 0; k < lengths_[b]; ++k) {
      const T* const words = d_words.Row(RowOf(b, k));
      for (size_t j = 0; j < window_ && j <= k; ++j) {
        AddScaled(input_dim_, T{1}, words + j * input_dim_,
                  d_input.Row(RowOf(b, k - j)));
      }
    }
  }
}

template <class T>
std::unique_ptr<SequenceLayers<T>> MakeLayers(const WindowLayers& options,
                                              const LayersPlace& place) {
  std::vector<std::unique_ptr<Layer<T>>> layers;
  LayersPlace own = place;
  for (size_t l = 0; l < options.layers; ++l) {
    own.name = absl::StrCat(place.name, ".", l);
    own.key = CombineKeys(place.key, l);
    layers.push_back(std::make_unique<WindowLayer<T>>(
        l == 0 ? options.window : 1, options.units, own));
    own.input_dim = options.units;
  }
  return std::make_unique<Stack<T>>(
      StackOptions{options.residual, options.dropout, place.reversed},
      std::move(layers));
}

uint64_t CountParameters(const WindowLayers& options, size_t input_dim) {
  const uint64_t first = MultiplySaturated(options.window, input_dim);
  const uint64_t above = MultiplySaturated(options.layers - 1, options.units);
  return MultiplySaturated(AddSaturated(first, above), options.units);
}

template class WindowLayer<float>;
template std::unique_ptr<SequenceLayers<float>> MakeLayers(const WindowLayers&,
                                                           const LayersPlace&);
#ifdef FIRTH_DOUBLES
template class WindowLayer<double>;
template std::unique_ptr<SequenceLayers<double>> MakeLayers(const WindowLayers&,
                                                            const LayersPlace&);
#endif

}  // namespace firth::nn
