#include "nn/token_encoder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/rng.h"
#include "nn/sequence_layers.h"

namespace firth::nn {

FieldTable TokenEncoderOptions::Fields() {
  using Options = TokenEncoderOptions;
  FieldsOf<Options> fields;
  fields.Add("table_dim", &Options::embedding_dim, "",
             Field().Range(0, kMostUnits));
  fields.Add("frozen", &Options::frozen, "");
  fields.Add("highways", &Options::highways, "", Field().Range(0, kMostLayers));
  fields.Add("projection_dim", &Options::projection_dim, "",
             Field().Range(0, kMostUnits));
  return fields;
}

size_t TokenEncoderOptions::output_dim() const {
  return projection_dim > 0 ? projection_dim
                            : embedding_dim + char_cnn.num_filters();
}

template <class T>
TokenEncoder<T>::TokenEncoder(const TokenEncoderOptions& options,
                              absl::string_view name, uint64_t key)
    : options_(options) {
  FIRTH_CHECK(options.has_table() || options.has_characters());
  if (options.has_table()) {
    table_ = std::make_unique<Parameter<T>>(
        absl::StrCat(name, ".table"), options.vocab_size, options.embedding_dim,
        GradientKind::kSparse);
    table_->frozen = options.frozen;
    FillNormal(1 / std::sqrt(static_cast<double>(options.embedding_dim)),
               CombineKeys(key, 1), table_->value);
  }
  if (options.has_characters()) {
    char_cnn_ = std::make_unique<CharCnn<T>>(
        options.char_cnn, absl::StrCat(name, ".cnn"), CombineKeys(key, 2));
    for (size_t h = 0; h < options.highways; ++h) {
      highways_.push_back(std::make_unique<Highway<T>>(
          char_cnn_->output_dim(), absl::StrCat(name, ".highway.", h),
          CombineKeys(key, 3 + h)));
    }
  }
  if (options.projection_dim > 0) {
    projection_ = std::make_unique<Linear<T>>(
        options.embedding_dim + options.char_cnn.num_filters(),
        options.projection_dim, absl::StrCat(name, ".projection"),
        CombineKeys(key, 0));
  }
}

template <class T>
void TokenEncoder<T>::AppendParameters(ParameterList<T>* list) {
  if (table_ != nullptr) list->push_back(table_.get());
  if (char_cnn_ != nullptr) char_cnn_->AppendParameters(list);
  for (const auto& highway : highways_) highway->AppendParameters(list);
  if (projection_ != nullptr) projection_->AppendParameters(list);
}

template <class T>
ConstView<T> TokenEncoder<T>::Forward(const TokenBatch& tokens) {
  const size_t words = table_ != nullptr ? tokens.ids.size()
                                         : tokens.characters.size() /
                                               options_.char_cnn.max_characters;
  const size_t table_dim = options_.embedding_dim;
  joined_.Resize(words, table_dim + options_.char_cnn.num_filters());
  for (size_t row = 0; row < words && table_ != nullptr; ++row) {
    const size_t id = tokens.ids[row];
    if (id < options_.vocab_size) {
      std::copy_n(table_->value.Row(id), table_dim, joined_.Row(row));
    } else {
      std::copy_n(tokens.given.data() + (id - options_.vocab_size) * table_dim,
                  table_dim, joined_.Row(row));
    }
  }
  if (char_cnn_ != nullptr) {
    ConstView<T> features = char_cnn_->Forward(tokens.characters);
    for (const auto& highway : highways_) features = highway->Forward(features);
    Copy(features, joined_.view().Cols(table_dim, features.cols()));
  }
  if (projection_ == nullptr) return std::as_const(joined_).view();
  output_.Resize(words, output_dim());
  projection_->Forward(joined_.view(), output_.view());
  return std::as_const(output_).view();
}

template <class T>
void TokenEncoder<T>::Backward(const TokenBatch& tokens,
                               ConstView<T> d_output) {
  ConstView<T> d_joined = d_output;
  if (projection_ != nullptr) {
    d_joined_.Resize(joined_.rows(), joined_.cols());
    projection_->Backward(joined_.view(), d_output, d_joined_.view());
    d_joined = d_joined_.view();
  }
  const size_t table_dim = options_.embedding_dim;
  if (table_ != nullptr && !table_->frozen) {
    for (size_t row = 0; row < tokens.ids.size(); ++row) {
      if (tokens.ids[row] >= options_.vocab_size) continue;
      AddScaled(table_dim, T{1}, d_joined.Row(row),
                table_->gradient.Row(tokens.ids[row]));
    }
  }
  if (char_cnn_ != nullptr) {
    CharactersBackward(tokens,
                       d_joined.Cols(table_dim, char_cnn_->output_dim()));
  }
}

template <class T>
void TokenEncoder<T>::CharactersBackward(const TokenBatch& tokens,
                                         ConstView<T> d_features) {
  d_features_.Resize(d_features.rows(), d_features.cols());
  Copy(d_features, d_features_.view());
  for (size_t h = highways_.size(); h-- > 0;) {
    const ConstView<T> input =
        h == 0 ? char_cnn_->output() : highways_[h - 1]->output();
    d_below_.Resize(d_features.rows(), d_features.cols());
    highways_[h]->Backward(input, d_features_.view(), d_below_.view());
    std::swap(d_features_, d_below_);
  }
  char_cnn_->Backward(tokens.characters, d_features_.view());
}

template class TokenEncoder<float>;
#ifdef FIRTH_DOUBLES
template class TokenEncoder<double>;
#endif

}  // namespace firth::nn
