#include "nn/candidates.h"

#include <algorithm>

#include "base/check.h"
#include "nn/elementwise.h"

namespace firth::nn {

template <class T>
void RowsHead<T>::StartStep(ConstView<T> hidden, HeadWork<T>* work) const {
  work->d_hidden.Resize(hidden.rows(), hidden.cols());
  if (work->used) return;
  work->used = true;
  work->d_rows.Resize(rows_->rows().rows(), rows_->dim());
  SetZero(work->d_rows.view());
  work->d_bias.assign(rows_->rows().rows(), 0);
}

template <class T>
void RowsHead<T>::GatherGradients(absl::Span<HeadWork<T>> works) {
  HeadWork<T>* sum = nullptr;
  for (HeadWork<T>& work : works) {
    if (!work.used) continue;
    work.used = false;
    if (sum == nullptr) {
      sum = &work;
      continue;
    }
    Add<T>(work.d_rows.view(), sum->d_rows.view());
    AddScaled(sum->d_bias.size(), T{1}, work.d_bias.data(), sum->d_bias.data());
  }
  if (sum != nullptr) {
    rows_->Backward(sum->d_rows.view(), sum->d_bias.data());
  }
}

// For few vectors, as in generation word by word, a BLAS would first copy all
// rows, which takes longer than the product.
template <class T>
void RowsHead<T>::Scores(ConstView<T> hidden, View<T> scores) const {
  constexpr size_t kFew = 8;
  const ConstView<T> rows = rows_->rows();
  for (size_t word = 0; hidden.rows() <= kFew && word < rows.rows(); ++word) {
    for (size_t r = 0; r < hidden.rows(); ++r) {
      scores.Row(r)[word] =
          DotProduct(rows.cols(), hidden.Row(r), rows.Row(word));
    }
  }
  if (hidden.rows() > kFew) {
    Product(hidden, Transpose::kNo, rows, Transpose::kYes, Into::kOverwrite,
            scores);
  }
  AddToRows(rows_->bias(), scores);
}

template <class T>
double FullLoss(absl::Span<const uint32_t> targets, View<T> scores) {
  FIRTH_CHECK(targets.size() == scores.rows());
  double loss = 0;
  for (size_t r = 0; r < scores.rows(); ++r) {
    T* const row = scores.Row(r);
    const double target = row[targets[r]];
    loss += static_cast<double>(
                Softmax(scores.cols(), T{1}, static_cast<T*>(nullptr), row)) -
            target;
  }
  return loss;
}

void Candidates::Set(std::vector<uint32_t> drawn,
                     absl::Span<const uint32_t> targets, size_t vocab_size) {
  places_.resize(vocab_size, 0);
  for (const uint32_t word : words_) places_[word] = 0;
  words_ = std::move(drawn);
  num_drawn_ = words_.size();
  for (size_t k = 0; k < num_drawn_; ++k) {
    uint32_t& place = places_[words_[k]];
    if (place == 0) place = static_cast<uint32_t>(k + 1);
  }
  for (const uint32_t target : targets) {
    FIRTH_CHECK(target < vocab_size);
    if (places_[target] != 0) continue;
    words_.push_back(target);
    places_[target] = static_cast<uint32_t>(words_.size());
  }
}

template class RowsHead<float>;
template double FullLoss(absl::Span<const uint32_t>, View<float>);
#ifdef FIRTH_DOUBLES
template class RowsHead<double>;
template double FullLoss(absl::Span<const uint32_t>, View<double>);
#endif

}  // namespace firth::nn
