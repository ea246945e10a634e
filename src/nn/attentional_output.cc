// Sequences are independent, so each thread processes its own. A gradient that
// sequences share, that of v, is collected for each sequence and summed at the
// end, so that it does not depend on the number of threads.

#include "nn/attentional_output.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/rng.h"
#include "nn/elementwise.h"

namespace firth::nn {

template <class T>
AttentionalOutput<T>::AttentionalOutput(AttentionKind kind, size_t dim,
                                        absl::string_view name, uint64_t key)
    : kind_(kind),
      dim_(dim),
      combine_(absl::StrCat(name, ".combine"), 2 * dim, dim),
      bias_(absl::StrCat(name, ".bias"), 1, dim) {
  FIRTH_CHECK(kind != AttentionKind::kNone);
  uint64_t drawn = 0;
  const auto draw = [&](Parameter<T>& parameter) {
    FillGlorot(parameter.value.rows(), dim, CombineKeys(key, ++drawn),
               parameter.value);
  };
  const auto make = [&](const char* part, size_t rows) {
    auto made = std::make_unique<Parameter<T>>(absl::StrCat(name, ".", part),
                                               rows, dim);
    draw(*made);
    return made;
  };
  draw(combine_);
  if (kind == AttentionKind::kDot) return;
  query_ = make("query", dim);
  if (kind == AttentionKind::kGeneral) return;
  key_ = make("key", dim);
  score_ = make("score", 1);
}

template <class T>
void AttentionalOutput<T>::AppendParameters(ParameterList<T>* list) {
  for (const auto* part : {&query_, &key_, &score_}) {
    if (*part != nullptr) list->push_back(part->get());
  }
  list->push_back(&combine_);
  list->push_back(&bias_);
}

template <class T>
void AttentionalOutput<T>::SetTexts(const EncodedTexts<T>& texts) {
  FIRTH_CHECK(texts.rows.cols() == dim_);
  memory_ = texts;
  offsets_.assign(1, 0);
  for (const size_t length : texts.lengths) {
    offsets_.push_back(offsets_.back() + length);
  }
  FIRTH_CHECK(offsets_.back() == texts.rows.rows());
  if (!is_additive()) return;
  keys_.Resize(texts.rows.rows(), dim_);
  Multiply(texts.rows, key_->value.view(), Into::kOverwrite, keys_.view());
}

template <class T>
ConstView<T> AttentionalOutput<T>::Keys(size_t text) const {
  const ConstView<T> all = is_additive() ? keys_.view() : memory_.rows;
  return all.Rows(offsets_[text], memory_.lengths[text]);
}

template <class T>
void AttentionalOutput<T>::Begin(const ChunkShape& shape,
                                 absl::Span<const size_t> texts) {
  FIRTH_CHECK((texts.empty() ? memory_.size() : texts.size()) == shape.batch);
  lengths_.assign(shape.lengths.begin(), shape.lengths.end());
  shape_ = {shape.steps, shape.batch, lengths_};
  texts_.assign(texts.begin(), texts.end());
  const size_t longest =
      *std::max_element(memory_.lengths.begin(), memory_.lengths.end());
  weights_.Resize(shape.rows(), longest);
  joined_.Resize(shape.rows(), 2 * dim_);
  outputs_.Resize(shape.rows(), dim_);
  if (is_additive()) scratch_.Resize(shape.batch, 2 * dim_);
  combine_factor_.Set(Transpose::kNo, combine_.value.view());
  if (query_ == nullptr) return;
  queries_.Resize(shape.rows(), dim_);
  query_factor_.Set(Transpose::kNo, query_->value.view());
}

template <class T>
absl::Span<const T> AttentionalOutput<T>::WeightsOf(size_t row) const {
  return {weights_.Row(row), memory_.lengths[TextOf(row % shape_.batch)]};
}

template <class T>
void AttentionalOutput<T>::Forward(size_t step, size_t first,
                                   ConstView<T> hidden, View<T> feedback) {
  const size_t count = hidden.rows();
  const View<T> joined = Rows(joined_, step, first, count);
  for (size_t i = 0; i < count; ++i) {
    std::copy_n(hidden.Row(i), dim_, joined.Row(i));
  }
  if (query_ != nullptr) {
    query_factor_.Multiply(hidden, Into::kOverwrite,
                           Rows(queries_, step, first, count));
  }
  for (size_t i = 0; i < count; ++i) {
    Attend(step * shape_.batch + first + i, first + i);
  }
  const View<T> output = Rows(outputs_, step, first, count);
  combine_factor_.Multiply(joined, Into::kOverwrite, output);
  for (size_t i = 0; i < count; ++i) {
    AddScaled(dim_, T{1}, bias_.value.data(), output.Row(i));
    Activate(Activation::kTanh, dim_, output.Row(i));
    if (feedback.empty()) continue;
    std::copy_n(output.Row(i), dim_, feedback.Row(i));
  }
}

template <class T>
void AttentionalOutput<T>::Attend(size_t row, size_t b) {
  T* const context = joined_.Row(row) + dim_;
  T* const weights = weights_.Row(row);
  std::fill_n(context, dim_, T{0});
  if (row / shape_.batch >= shape_.length(b)) return;
  const size_t text = TextOf(b);
  const size_t length = memory_.lengths[text];
  const ConstView<T> keys = Keys(text);
  const T* const query =
      query_ != nullptr ? queries_.Row(row) : joined_.Row(row);
  T* const sum = is_additive() ? scratch_.Row(b) : nullptr;
  for (size_t j = 0; j < length; ++j) {
    if (is_additive()) {
      std::copy_n(keys.Row(j), dim_, sum);
      AddScaled(dim_, T{1}, query, sum);
      Activate(Activation::kTanh, dim_, sum);
      weights[j] = DotProduct(dim_, score_->value.data(), sum);
    } else {
      weights[j] = DotProduct(dim_, query, keys.Row(j));
    }
  }
  Softmax(length, T{1}, static_cast<const T*>(nullptr), weights);
  for (size_t j = 0; j < length; ++j) {
    AddScaled(dim_, weights[j], memory_.rows.Row(offsets_[text] + j), context);
  }
}

template <class T>
void AttentionalOutput<T>::BeginBackward(ConstView<T> d_output,
                                         View<T> d_rows) {
  FIRTH_CHECK(texts_.empty());
  d_rows_ = d_rows;
  d_sums_.Resize(d_output.rows(), dim_);
  Copy(d_output, d_sums_.view());
  d_joined_.Resize(shape_.batch, 2 * dim_);
  d_weights_.Resize(shape_.batch, weights_.cols());
  d_queries_.Resize(d_output.rows(), dim_);
  combine_factor_.Set(Transpose::kYes, combine_.value.view());
  if (query_ != nullptr) {
    query_factor_.Set(Transpose::kYes, query_->value.view());
  }
  if (!is_additive()) return;
  d_keys_.Resize(keys_.rows(), dim_);
  d_keys_.Fill(0);
  d_scores_.Resize(shape_.batch, dim_);
  d_scores_.Fill(0);
}

template <class T>
void AttentionalOutput<T>::Backward(size_t step, size_t first,
                                    ConstView<T> d_feedback, View<T> d_hidden) {
  const size_t count = d_hidden.rows();
  const View<T> d_sums = Rows(d_sums_, step, first, count);
  for (size_t i = 0; i < count; ++i) {
    T* const d_sum = d_sums.Row(i);
    if (!d_feedback.empty()) AddScaled(dim_, T{1}, d_feedback.Row(i), d_sum);
    ActivateBackward(Activation::kTanh, dim_,
                     outputs_.Row(step * shape_.batch + first + i), d_sum);
    if (step >= shape_.length(first + i)) std::fill_n(d_sum, dim_, T{0});
  }
  const View<T> d_joined = d_joined_.view().Rows(first, count);
  combine_factor_.Multiply(d_sums, Into::kOverwrite, d_joined);
  Add<T>(d_joined.Cols(0, dim_), d_hidden);
  const View<T> d_queries = Rows(d_queries_, step, first, count);
  SetZero(d_queries);
  for (size_t i = 0; i < count; ++i) {
    if (step >= shape_.length(first + i)) continue;
    AttendBackward(step * shape_.batch + first + i, first + i,
                   d_joined.Row(i) + dim_, d_queries.Row(i));
  }
  if (query_ == nullptr) {
    Add<T>(d_queries, d_hidden);
  } else {
    query_factor_.Multiply(d_queries, Into::kAdd, d_hidden);
  }
}

template <class T>
void AttentionalOutput<T>::AttendBackward(size_t row, size_t b,
                                          const T* d_context, T* d_query) {
  const size_t length = memory_.lengths[b];
  const T* const weights = weights_.Row(row);
  T* const d_scores = d_weights_.Row(b);
  for (size_t j = 0; j < length; ++j) {
    const size_t token = offsets_[b] + j;
    d_scores[j] = DotProduct(dim_, d_context, memory_.rows.Row(token));
    AddScaled(dim_, weights[j], d_context, d_rows_.Row(token));
  }
  SoftmaxBackward(length, weights, d_scores);
  if (is_additive()) return AdditiveBackward(row, b, d_scores, d_query);
  const T* const query =
      query_ != nullptr ? queries_.Row(row) : joined_.Row(row);
  for (size_t j = 0; j < length; ++j) {
    const size_t token = offsets_[b] + j;
    AddScaled(dim_, d_scores[j], memory_.rows.Row(token), d_query);
    AddScaled(dim_, d_scores[j], query, d_rows_.Row(token));
  }
}

template <class T>
void AttentionalOutput<T>::AdditiveBackward(size_t row, size_t b,
                                            const T* d_scores, T* d_query) {
  T* const tanh = scratch_.Row(b);
  T* const d_sum = tanh + dim_;
  for (size_t j = 0; j < memory_.lengths[b]; ++j) {
    const size_t token = offsets_[b] + j;
    std::copy_n(keys_.Row(token), dim_, tanh);
    AddScaled(dim_, T{1}, queries_.Row(row), tanh);
    Activate(Activation::kTanh, dim_, tanh);
    AddScaled(dim_, d_scores[j], tanh, d_scores_.Row(b));
    std::fill_n(d_sum, dim_, T{0});
    AddScaled(dim_, d_scores[j], score_->value.data(), d_sum);
    ActivateBackward(Activation::kTanh, dim_, tanh, d_sum);
    AddScaled(dim_, T{1}, d_sum, d_query);
    AddScaled(dim_, T{1}, d_sum, d_keys_.Row(token));
  }
}

template <class T>
void AttentionalOutput<T>::EndBackward() {
  AddWeightGradient(joined_.view(), d_sums_.view(), combine_.gradient.view());
  AddColumnSums(d_sums_.view(), bias_.gradient.Row(0));
  if (query_ == nullptr) return;
  AddWeightGradient(joined_.view().Cols(0, dim_), d_queries_.view(),
                    query_->gradient.view());
  if (!is_additive()) return;
  AddColumnSums(d_scores_.view(), score_->gradient.Row(0));
  AddWeightGradient(memory_.rows, d_keys_.view(), key_->gradient.view());
  MultiplyBack(d_keys_.view(), key_->value.view(), Into::kAdd, d_rows_);
}

template class AttentionalOutput<float>;
#ifdef FIRTH_DOUBLES
template class AttentionalOutput<double>;
#endif

}  // namespace firth::nn
