// A conditional random field over a chain: the head of a tagger whose tags
// depend on their neighbors (Lafferty, McCallum and Pereira 2001). For scores
// s, a sequence of tags y has
//
//   score(y) = start[y_0] + sum_t s[t, y_t] + sum_t transition[y_{t-1}, y_t]
//              + end[y_{n-1}]
//   L = ln sum_y' exp(score(y')) - score(y)
//
// The forward recursion computes the sum over all sequences, and the backward
// recursion its gradient, both in logarithms.

#ifndef FIRTH_NN_CRF_H_
#define FIRTH_NN_CRF_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "nn/matrix.h"
#include "nn/parameter.h"

namespace firth::nn {

template <class T>
class Crf {
 public:
  // All weights start at 0.
  Crf(size_t num_tags, absl::string_view name);

  size_t num_tags() const { return start_.value.cols(); }
  void AppendParameters(ParameterList<T>* list);

  // Returns L in nats for one sequence with scores [n, num_tags], n > 0, or NaN
  // if a score is NaN. Adds the gradients of scale * L to those of the
  // parameters, and sets d_scores to the gradients of the scores.
  double Step(ConstView<T> scores, absl::Span<const uint32_t> tags, T scale,
              View<T> d_scores);

  // Sets marginals [n, num_tags] to the probability that each step of the
  // scores [n, num_tags], n > 0, has each tag. The sum of each row is 1.
  void Marginals(ConstView<T> scores, View<T> marginals);

  // Returns the sequence with the highest score (Viterbi 1967).
  std::vector<uint32_t> Decode(ConstView<T> scores) const;

 private:
  double Forward(ConstView<T> scores);
  void Backward(ConstView<T> scores);
  double Score(ConstView<T> scores, absl::Span<const uint32_t> tags) const;

  Parameter<T> transition_;  // [from, to]
  Parameter<T> start_;
  Parameter<T> end_;
  Matrix<T> before_;        // [n, num_tags] ln sum over beginnings
  Matrix<T> after_;         // [n, num_tags] ln sum over ends
  std::vector<T> scratch_;  // [num_tags]
};

}  // namespace firth::nn

#endif  // FIRTH_NN_CRF_H_
