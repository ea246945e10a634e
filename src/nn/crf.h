// A conditional random field over a chain: the head of a tagger whose tags
// depend on their neighbours (Lafferty, McCallum and Pereira 2001). A sequence
// of tags y of the scores s has
//
//   score(y) = start[y_0] + sum_t s[t, y_t] + sum_t transition[y_{t-1}, y_t]
//              + end[y_{n-1}]
//   L = ln sum_y' exp(score(y')) - score(y)
//
// where the sum over all sequences is taken by the forward recursion, its
// gradient by the backward one, both in logarithms.

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

  // Of one sequence, scores [n, num_tags], n > 0: returns L in nats, NaN if a
  // score is; adds the gradients of scale * L to those of the parameters and
  // overwrites d_scores with those by the scores.
  double Step(ConstView<T> scores, absl::Span<const uint32_t> tags, T scale,
              View<T> d_scores);

  // Overwrites marginals [n, num_tags] with the probability that each step of
  // the scores [n, num_tags], n > 0, has each tag: its rows sum to 1.
  void Marginals(ConstView<T> scores, View<T> marginals);

  // The sequence of the greatest score (Viterbi 1967).
  std::vector<uint32_t> Decode(ConstView<T> scores) const;

 private:
  double Forward(ConstView<T> scores);
  void Backward(ConstView<T> scores);
  double Score(ConstView<T> scores, absl::Span<const uint32_t> tags) const;

  Parameter<T> transition_;  // [from, to]
  Parameter<T> start_;
  Parameter<T> end_;
  Matrix<T> before_;        // [n, num_tags] ln of the sum over what leads here
  Matrix<T> after_;         // [n, num_tags] and over what follows
  std::vector<T> scratch_;  // [num_tags]
};

}  // namespace firth::nn

#endif  // FIRTH_NN_CRF_H_
