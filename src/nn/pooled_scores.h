// BERT's scores of a text, computed from the vector of its first token by a
// separate layer (Devlin et al., "BERT: pre-training of deep bidirectional
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
#include "nn/matrix.h"
#include "nn/parameter.h"
#include "nn/row_layers.h"

namespace firth::nn {

template <class T>
class PooledScores {
 public:
  // Parameters are those of two Linear, "<name>.pooler" and "<name>.output".
  PooledScores(size_t dim, size_t scores, absl::string_view name, uint64_t key)
      : pooler_(dim, dim, absl::StrCat(name, ".pooler"), key),
        output_(dim, scores, absl::StrCat(name, ".output"), key + 1) {}

  void AppendParameters(ParameterList<T>* list) {
    pooler_.AppendParameters(list);
    output_.AppendParameters(list);
  }

  // Sets scores [texts, scores], given the first tokens' vectors [texts, dim].
  void Forward(ConstView<T> first, View<T> scores) {
    pooled_.Resize(first.rows(), first.cols());
    pooler_.Forward(first, pooled_.view());
    for (size_t i = 0; i < pooled_.size(); ++i) {
      pooled_.data()[i] = std::tanh(pooled_.data()[i]);
    }
    output_.Forward(std::as_const(pooled_).view(), scores);
  }
  // Returns the output of the pooler for the first tokens, [texts, dim].
  const Matrix<T>& pooled() const { return pooled_; }

  // Returns the mean over all texts of -ln p of the right score, by a softmax
  // over the scores. Adds the gradients of the parameters and sets d_first
  // [texts, dim]. `first` is as in Forward().
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
  Matrix<T> scores_;    // then their gradient
  Matrix<T> d_pooled_;  // gradient of the tanh's input
};

}  // namespace firth::nn

#endif  // FIRTH_NN_POOLED_SCORES_H_
