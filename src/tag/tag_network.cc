// The input for a token is its scaled static vector next to the mix of its
// contextual layers. The output of the LSTM (without one, the input itself) is
// next to a second mix, if there is one, and a linear map gives each tag its
// score. Backward() stops above everything that is not trained, such as static
// vectors.

#include "tag/tag_network.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/rng.h"
#include "lm/model/finite_layers.h"
#include "nn/elementwise.h"

namespace firth {
namespace {

// Keys for drawing, in addition to those of the two directions.
enum Part : uint64_t { kLinear = 2, kInputDropout, kOutputDropout, kSpelling };

nn::DropoutKey KeyOf(nn::DropoutKey key, uint64_t part) {
  return key.has_value() ? nn::DropoutKey(CombineKeys(*key, part)) : key;
}

template <class T>
void CopyScaled(T scale, ConstView<T> from, View<T> to) {
  FIRTH_CHECK(from.rows() == to.rows() && from.cols() == to.cols());
  for (size_t r = 0; r < to.rows(); ++r) {
    for (size_t c = 0; c < to.cols(); ++c)
      to.Row(r)[c] = scale * from.Row(r)[c];
  }
}

template <class T>
std::vector<ConstView<T>> Views(const std::vector<Matrix<T>>& layers) {
  std::vector<ConstView<T>> views;
  views.reserve(layers.size());
  for (const Matrix<T>& layer : layers) views.push_back(layer.view());
  return views;
}

// Returns views of `count` matrices, each like `one`; none for a null pointer.
template <class T>
std::vector<View<T>> Sized(View<T> one, size_t count,
                           std::vector<Matrix<T>>* matrices) {
  std::vector<View<T>> views;
  if (matrices == nullptr) return views;
  matrices->resize(count);
  for (Matrix<T>& matrix : *matrices) {
    matrix.Resize(one.rows(), one.cols());
    views.push_back(matrix.view());
  }
  return views;
}

}  // namespace

FieldTable TagNetworkOptions::Fields() {
  using Options = TagNetworkOptions;
  const auto units = Field().Range(0, nn::kMostUnits);
  FieldsOf<Options> fields;
  fields.Add("static_dim", &Options::static_dim, "", units);
  fields.Add("contextual_dim", &Options::contextual_dim, "", units);
  fields.Part(&Options::mix, "mix_");
  fields.Add("mix_at_output", &Options::mix_at_output, "");
  fields.Add("mix_at_input", &Options::mix_at_input, "", Field().Unlisted());
  fields.Add("lstm_layers", &Options::lstm_layers, "",
             Field().Range(0, nn::kMostLayers));
  fields.Add("units", &Options::units, "", Field().Range(1, nn::kMostUnits));
  fields.Add("crf", &Options::crf, "");
  return fields;
}

template <class T>
TagNetwork<T>::TagNetwork(const TagNetworkOptions& options, uint64_t key)
    : options_(options),
      word_scales_("static-scales", 2, options.static_dim),
      layer_scale_("mix-scale", 1, 1),
      input_dropout_(options.dropout),
      output_dropout_(options.dropout) {
  FIRTH_CHECK(options.input_dim() > 0 && options.num_tags > 0);
  word_scales_.frozen = layer_scale_.frozen = true;
  std::fill_n(word_scales_.value.Row(1), options.static_dim, T{1});
  set_layer_scale(1);
  if (options.has_spelling()) {
    spelling_.emplace(options.spelling, "spelling",
                      CombineKeys(key, kSpelling));
  }
  size_t joined = hidden_dim();
  if (options.input_mix_dim() > 0) input_mix_.emplace(options.mix, "input-mix");
  if (options.contextual_dim > 0 && options.mix_at_output) {
    output_mix_.emplace(options.mix, "output-mix");
    joined += options.contextual_dim;
  }
  nn::RecurrentLayers stack;
  stack.recurrent.units = options.units;
  stack.layers = options.lstm_layers;
  stack.dropout = options.dropout;
  if (has_lstm()) {
    lstm_.emplace(stack, Reading::kBoth, options.input_dim(),
                  std::array{CombineKeys(key, 0), CombineKeys(key, 1)});
  }
  linear_ = std::make_unique<nn::Linear<T>>(joined, options.num_tags, "output",
                                            CombineKeys(key, kLinear));
  if (options.crf) crf_.emplace(options.num_tags, "crf");
}

template <class T>
void TagNetwork<T>::AppendParameters(nn::ParameterList<T>* list) {
  if (options_.static_dim > 0) list->push_back(&word_scales_);
  if (options_.contextual_dim > 0) list->push_back(&layer_scale_);
  if (spelling_.has_value()) spelling_->AppendParameters(list);
  if (input_mix_.has_value()) input_mix_->AppendParameters(list);
  if (output_mix_.has_value()) output_mix_->AppendParameters(list);
  if (lstm_.has_value()) lstm_->AppendParameters(list);
  linear_->AppendParameters(list);
  if (crf_.has_value()) crf_->AppendParameters(list);
}

// Tokens with the same spelling are encoded once.
template <class T>
void TagNetwork<T>::SpellingForward(const TokenFeatures<T>& features) {
  const ConstView<T> spelled =
      spelling_->Forward({features.casings, features.characters});
  const View<T> rows = SpellingOf(input_.view());
  for (size_t r = 0; r < rows.rows(); ++r) {
    std::copy_n(spelled.Row(features.spelled_as[r]), rows.cols(), rows.Row(r));
  }
}

template <class T>
void TagNetwork<T>::SpellingBackward(const TokenFeatures<T>& features,
                                     ConstView<T> d_rows) {
  d_spelled_.Resize(features.casings.size(), d_rows.cols());
  d_spelled_.Fill(0);
  for (size_t r = 0; r < d_rows.rows(); ++r) {
    nn::AddScaled(d_rows.cols(), T{1}, d_rows.Row(r),
                  d_spelled_.Row(features.spelled_as[r]));
  }
  spelling_->Backward({features.casings, features.characters},
                      std::as_const(d_spelled_).view());
}

template <class T>
void TagNetwork<T>::Forward(const TokenFeatures<T>& features,
                            nn::DropoutKey key) {
  const size_t tokens = features.tokens();
  const size_t words = options_.static_dim;
  const std::vector<ConstView<T>> layers = Views(features.layers);
  input_.Resize(tokens, options_.input_dim());
  if (words > 0) {
    const T* const mean = word_scales_.value.Row(0);
    const T* const factor = word_scales_.value.Row(1);
    for (size_t r = 0; r < tokens; ++r) {
      for (size_t c = 0; c < words; ++c) {
        input_.Row(r)[c] = (features.words.Row(r)[c] - mean[c]) * factor[c];
      }
    }
  }
  if (input_mix_.has_value()) {
    CopyScaled<T>(layer_scale(), input_mix_->Forward(layers),
                  input_.view().Cols(words, options_.contextual_dim));
  }
  if (spelling_.has_value()) SpellingForward(features);
  joined_.Resize(tokens, linear_->input_dim());
  if (has_lstm()) {
    lstm_->Forward(input_.view(), features.lengths, {}, key, options_.threads,
                   joined_.view().Cols(0, hidden_dim()));
  } else {
    nn::Copy<T>(
        input_dropout_.Forward(input_.view(), KeyOf(key, kInputDropout)),
        joined_.view().Cols(0, hidden_dim()));
  }
  if (output_mix_.has_value()) {
    CopyScaled<T>(layer_scale(),
                  output_dropout_.Forward(output_mix_->Forward(layers),
                                          KeyOf(key, kOutputDropout)),
                  joined_.view().Cols(hidden_dim(), options_.contextual_dim));
  }
  scores_.Resize(tokens, options_.num_tags);
  linear_->Forward(joined_.view(), scores_.view());
}

// Fills d_scores_.
template <class T>
double TagNetwork<T>::Loss(const std::vector<size_t>& lengths,
                           absl::Span<const uint32_t> tags) {
  const auto scale = static_cast<T>(1 / static_cast<double>(tags.size()));
  d_scores_.Resize(scores_.rows(), scores_.cols());
  double sum = 0;
  if (crf_.has_value()) {
    size_t first = 0;
    for (const size_t length : lengths) {
      sum += crf_->Step(scores_.view().Rows(first, length),
                        tags.subspan(first, length), scale,
                        d_scores_.view().Rows(first, length));
      first += length;
    }
    return sum / static_cast<double>(tags.size());
  }
  nn::Copy<T>(scores_.view(), d_scores_.view());
  for (size_t r = 0; r < tags.size(); ++r) {
    T* const row = d_scores_.Row(r);
    const T right = row[tags[r]];
    const T total = nn::Softmax(scores_.cols(), scale, nullptr, row);
    sum += static_cast<double>(total - right);
    row[tags[r]] -= scale;
  }
  return sum / static_cast<double>(tags.size());
}

template <class T>
void TagNetwork<T>::Backward(const TokenFeatures<T>& features,
                             std::vector<Matrix<T>>* d_layers) {
  // Static vectors are not trained.
  const bool below = input_mix_.has_value() || spelling_.has_value();
  View<T> d_joined;
  if (below || has_lstm() || output_mix_.has_value()) {
    d_joined_.Resize(joined_.rows(), joined_.cols());
    d_joined = d_joined_.view();
  }
  linear_->Backward(joined_.view(), d_scores_.view(), d_joined);
  View<T> d_input;
  if (below) {
    d_input_.Resize(input_.rows(), input_.cols());
    d_input = d_input_.view();
  }
  if (has_lstm()) {
    lstm_->Backward(d_joined.Cols(0, hidden_dim()), features.lengths,
                    options_.threads, d_input);
  } else if (below) {
    nn::Copy<T>(d_joined.Cols(0, hidden_dim()), d_input);
    input_dropout_.Backward(d_input);
  }
  if (spelling_.has_value()) SpellingBackward(features, SpellingOf(d_input));
  const size_t contextual = options_.contextual_dim;
  MixesBackward(
      input_mix_.has_value() ? d_input.Cols(options_.static_dim, contextual)
                             : View<T>(),
      output_mix_.has_value() ? d_joined.Cols(hidden_dim(), contextual)
                              : View<T>(),
      d_layers);
}

template <class T>
void TagNetwork<T>::MixesBackward(View<T> d_in, View<T> d_out,
                                  std::vector<Matrix<T>>* d_layers) {
  std::vector<Matrix<T>>* to = d_layers;
  if (input_mix_.has_value()) {
    CopyScaled<T>(layer_scale(), d_in, d_in);
    input_mix_->Backward(d_in, Sized(d_in, options_.mix.layers, to));
    if (to != nullptr) to = &d_second_;
  }
  if (!output_mix_.has_value()) return;
  CopyScaled<T>(layer_scale(), d_out, d_out);
  output_dropout_.Backward(d_out);
  output_mix_->Backward(d_out, Sized(d_out, options_.mix.layers, to));
  if (to == d_layers) return;
  for (size_t j = 0; j < to->size(); ++j) {
    nn::Add<T>((*to)[j].view(), (*d_layers)[j].view());
  }
}

template <class T>
double TagNetwork<T>::Train(const TokenFeatures<T>& features,
                            absl::Span<const uint32_t> tags, nn::DropoutKey key,
                            std::vector<Matrix<T>>* d_layers) {
  FIRTH_CHECK(tags.size() == features.tokens());
  Forward(features, key);
  double loss = Loss(features.lengths, tags);
  Backward(features, d_layers);
  if (input_mix_.has_value()) loss += input_mix_->Penalize();
  if (output_mix_.has_value()) loss += output_mix_->Penalize();
  return loss;
}

template <class T>
std::vector<uint32_t> TagNetwork<T>::Decode(const TokenFeatures<T>& features) {
  Forward(features, {});
  std::vector<uint32_t> tags;
  size_t row = 0;
  for (const size_t length : features.lengths) {
    if (crf_.has_value()) {
      const auto best =
          crf_->Decode(std::as_const(scores_).view().Rows(row, length));
      tags.insert(tags.end(), best.begin(), best.end());
    } else {
      for (size_t r = row; r < row + length; ++r) {
        const T* const scores = scores_.Row(r);
        tags.push_back(static_cast<uint32_t>(
            std::max_element(scores, scores + scores_.cols()) - scores));
      }
    }
    row += length;
  }
  return tags;
}

template <class T>
absl::Status TagNetwork<T>::CheckFinite() const {
  if constexpr (std::is_same_v<T, float>) {
    const std::pair<const char*, ConstView<float>> parts[] = {
        {"the tagger's input", input_.view()},
        {"the tagger's hidden layer", joined_.view()},
        {"the scores of tags", scores_.view()}};
    for (const auto& [name, values] : parts) {
      const float found = FirstNotFinite(values);
      if (found != 0) return NotFinite(name, found);
    }
  }
  return absl::OkStatus();
}

template <class T>
std::vector<double> TagNetwork<T>::Probabilities(
    const std::vector<size_t>& lengths, absl::Span<const uint32_t> tags) {
  FIRTH_CHECK(tags.size() == scores_.rows());
  Matrix<T> shares(scores_.rows(), scores_.cols());
  nn::Copy<T>(scores_.view(), shares.view());
  size_t first = 0;
  for (const size_t length : lengths) {
    const View<T> sentence = shares.view().Rows(first, length);
    if (crf_.has_value()) {
      crf_->Marginals(scores_.view().Rows(first, length), sentence);
    } else {
      for (size_t t = 0; t < length; ++t) {
        nn::Softmax(sentence.cols(), T{1}, nullptr, sentence.Row(t));
      }
    }
    first += length;
  }
  std::vector<double> probabilities;
  for (size_t r = 0; r < tags.size(); ++r) {
    probabilities.push_back(static_cast<double>(shares.Row(r)[tags[r]]));
  }
  return probabilities;
}

template class TagNetwork<float>;
#ifdef FIRTH_DOUBLES
template class TagNetwork<double>;
#endif

}  // namespace firth
