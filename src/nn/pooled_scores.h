// What BERT scores a text by: the vector of its first token, through a layer of
// its own (Devlin et al., "BERT: pre-training of deep bidirectional
// transformers for language understanding", 2019, and its published code):
//
//   scores = tanh(x W + b) V + c

#ifndef FIRTH_NN_POOLED_SCORES_H_
#define FIRTH_NN_POOLED_SCORES_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "nn/elementwise.h"
#include "nn/linear.h"
#include "nn/matrix.h"
#include "nn/parameter.h"

namespace firth::nn {

template <class T>
class PooledScores {
 public:
  // Parameters are those of two Linears, "<name>.pooler" and "<name>.output".
  PooledScores(size_t dim, size_t scores, absl::string_view name, uint64_t key)
      : pooler_(dim, dim, absl::StrCat(name, ".pooler"), key),
        output_(dim, scores, absl::StrCat(name, ".output"), key + 1) {}

  void AppendParameters(ParameterList<T>* list) {
    pooler_.AppendParameters(list);
    output_.AppendParameters(list);
  }

  // first: [texts, dim], of their first tokens; scores: [texts, scores].
  void Forward(ConstView<T> first, View<T> scores) {
    pooled_.Resize(first.rows(), first.cols());
    pooler_.Forward(first, pooled_.view());
    for (size_t i = 0; i < pooled_.size(); ++i) {
      pooled_.data()[i] = std::tanh(pooled_.data()[i]);
    }
    output_.Forward(std::as_const(pooled_).view(), scores);
  }
  // What Forward() made of the first tokens, [texts, dim].
  const Matrix<T>& pooled() const { return pooled_; }

  // Returns the mean of -ln p, by the softmax of the scores, of the score that
  // is right for each text; adds the gradients of its parameters and sets
  // d_first [texts, dim]. `first` as in Forward().
  double Step(ConstView<T> first, absl::Span<const uint32_t> right,
              View<T> d_first) {
    scores_.Resize(first.rows(), output_.output_dim());
    Forward(first, scores_.view());
    const T scale = T{1} / static_cast<T>(first.rows());
    double sum = 0;
    for (size_t r = 0; r < first.rows(); ++r) {
      T* const row = scores_.Row(r);
      const T score = row[right[r]];
      const T total = Softmax(scores_.cols(), scale, nullptr, row);
      sum += static_cast<double>(total - score);
      row[right[r]] -= scale;
    }
    d_pooled_.Resize(first.rows(), first.cols());
    output_.Backward(std::as_const(pooled_).view(),
                     std::as_const(scores_).view(), d_pooled_.view());
    for (size_t i = 0; i < pooled_.size(); ++i) {
      const T y = pooled_.data()[i];
      d_pooled_.data()[i] *= 1 - y * y;
    }
    pooler_.Backward(first, std::as_const(d_pooled_).view(), d_first);
    return sum / static_cast<double>(first.rows());
  }

 private:
  Linear<T> pooler_;
  Linear<T> output_;
  Matrix<T> pooled_;
  Matrix<T> scores_;    // then the gradient by them
  Matrix<T> d_pooled_;  // by what the pooler's tanh reads
};

}  // namespace firth::nn

#endif  // FIRTH_NN_POOLED_SCORES_H_
