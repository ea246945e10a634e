// before_[t, y] is ln of the sum of exp(score) over all beginnings of a
// sequence that end with tag y at step t, and after_[t, y] is the same over all
// ends that follow it. Their sum, minus ln of the sum over all whole sequences,
// is ln of the probability that step t has tag y, from which the gradients are
// computed. Decoding is the forward recursion with the maximum instead of the
// sum (Viterbi).

#include "nn/crf.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "nn/elementwise.h"

namespace firth::nn {
namespace {

// Returns ln sum exp, or NaN if a value is NaN.
template <class T>
T LogSum(const std::vector<T>& values) {
  const T greatest = *std::max_element(values.begin(), values.end());
  T sum = 0;
  for (const T value : values) sum += std::exp(value - greatest);
  return greatest + std::log(sum);
}

}  // namespace

template <class T>
Crf<T>::Crf(size_t num_tags, absl::string_view name)
    : transition_(absl::StrCat(name, ".transition"), num_tags, num_tags),
      start_(absl::StrCat(name, ".start"), 1, num_tags),
      end_(absl::StrCat(name, ".end"), 1, num_tags),
      scratch_(num_tags) {}

template <class T>
void Crf<T>::AppendParameters(ParameterList<T>* list) {
  for (Parameter<T>* parameter : {&transition_, &start_, &end_}) {
    list->push_back(parameter);
  }
}

// Fills before_, which includes the score of its own step. Returns ln of the
// sum over all sequences.
template <class T>
double Crf<T>::Forward(ConstView<T> scores) {
  const size_t n = scores.rows(), tags = num_tags();
  before_.Resize(n, tags);
  for (size_t t = 0; t < n; ++t) {
    for (size_t to = 0; to < tags; ++to) {
      T sum = start_.value.data()[to];
      if (t > 0) {
        for (size_t from = 0; from < tags; ++from) {
          scratch_[from] =
              before_.Row(t - 1)[from] + transition_.value.Row(from)[to];
        }
        sum = LogSum(scratch_);
      }
      before_.Row(t)[to] = sum + scores.Row(t)[to];
    }
  }
  for (size_t tag = 0; tag < tags; ++tag) {
    scratch_[tag] = before_.Row(n - 1)[tag] + end_.value.data()[tag];
  }
  return LogSum(scratch_);
}

// Fills after_, which does not include the score of its own step.
template <class T>
void Crf<T>::Backward(ConstView<T> scores) {
  const size_t n = scores.rows(), tags = num_tags();
  after_.Resize(n, tags);
  std::copy_n(end_.value.data(), tags, after_.Row(n - 1));
  for (size_t t = n - 1; t-- > 0;) {
    for (size_t from = 0; from < tags; ++from) {
      for (size_t to = 0; to < tags; ++to) {
        scratch_[to] = transition_.value.Row(from)[to] + scores.Row(t + 1)[to] +
                       after_.Row(t + 1)[to];
      }
      after_.Row(t)[from] = LogSum(scratch_);
    }
  }
}

template <class T>
double Crf<T>::Score(ConstView<T> scores,
                     absl::Span<const uint32_t> tags) const {
  double score = static_cast<double>(start_.value.data()[tags.front()]) +
                 static_cast<double>(end_.value.data()[tags.back()]);
  for (size_t t = 0; t < tags.size(); ++t) {
    score += static_cast<double>(scores.Row(t)[tags[t]]);
    if (t == 0) continue;
    score += static_cast<double>(transition_.value.Row(tags[t - 1])[tags[t]]);
  }
  return score;
}

// The gradient of a weight is its expected number of uses, minus its uses by
// the given tags.
template <class T>
double Crf<T>::Step(ConstView<T> scores, absl::Span<const uint32_t> tags,
                    T scale, View<T> d_scores) {
  const size_t n = scores.rows(), num = num_tags();
  FIRTH_CHECK(n > 0 && tags.size() == n && scores.cols() == num);
  const double all = Forward(scores);
  Backward(scores);
  const T total = static_cast<T>(all);
  for (size_t t = 0; t < n; ++t) {
    T* const d_row = d_scores.Row(t);
    for (size_t tag = 0; tag < num; ++tag) {
      d_row[tag] =
          scale * std::exp(before_.Row(t)[tag] + after_.Row(t)[tag] - total);
    }
    d_row[tags[t]] -= scale;
    if (t == 0) continue;
    transition_.gradient.Row(tags[t - 1])[tags[t]] -= scale;
    for (size_t from = 0; from < num; ++from) {
      T* const d_transition = transition_.gradient.Row(from);
      const T* const transition = transition_.value.Row(from);
      const T reached = before_.Row(t - 1)[from] - total;
      for (size_t to = 0; to < num; ++to) {
        d_transition[to] +=
            scale * std::exp(reached + transition[to] + scores.Row(t)[to] +
                             after_.Row(t)[to]);
      }
    }
  }
  Add<T>(d_scores.Rows(0, 1), start_.gradient.view());
  Add<T>(d_scores.Rows(n - 1, 1), end_.gradient.view());
  return all - Score(scores, tags);
}

// Each row is normalized separately, because over long sequences the logarithm
// of the sum over all of them has too few digits left.
template <class T>
void Crf<T>::Marginals(ConstView<T> scores, View<T> marginals) {
  FIRTH_CHECK(scores.rows() > 0 && scores.cols() == num_tags());
  Forward(scores);
  Backward(scores);
  Copy<T>(before_.view(), marginals);
  for (size_t t = 0; t < scores.rows(); ++t) {
    Softmax(num_tags(), T{1}, after_.Row(t), marginals.Row(t));
  }
}

template <class T>
std::vector<uint32_t> Crf<T>::Decode(ConstView<T> scores) const {
  const size_t n = scores.rows(), num = num_tags();
  FIRTH_CHECK(n > 0 && scores.cols() == num);
  Matrix<T> best(n, num);         // best score up to this step
  Matrix<uint32_t> from(n, num);  // previous tag on that path
  for (size_t t = 0; t < n; ++t) {
    for (size_t to = 0; to < num; ++to) {
      T greatest = start_.value.data()[to];
      for (uint32_t tag = 0; t > 0 && tag < num; ++tag) {
        const T score = best.Row(t - 1)[tag] + transition_.value.Row(tag)[to];
        if (tag > 0 && score <= greatest) continue;
        greatest = score;
        from.Row(t)[to] = tag;
      }
      best.Row(t)[to] = greatest + scores.Row(t)[to];
    }
  }
  Add<T>(end_.value.view(), best.view().Rows(n - 1, 1));
  const T* const last = best.Row(n - 1);
  std::vector<uint32_t> tags(n);
  tags[n - 1] =
      static_cast<uint32_t>(std::max_element(last, last + num) - last);
  for (size_t t = n - 1; t > 0; --t) tags[t - 1] = from.Row(t)[tags[t]];
  return tags;
}

template class Crf<float>;
#ifdef FIRTH_DOUBLES
template class Crf<double>;
#endif

}  // namespace firth::nn
