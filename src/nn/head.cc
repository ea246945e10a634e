#include "nn/head.h"

#include <algorithm>
#include <utility>

namespace firth::nn {

template <class T>
double StepOnTargets(const Head<T>& head, ConstView<T> hidden,
                     const Targets& targets, T scale, HeadWork<T>* work) {
  const size_t count = targets.rows.size();
  if (count == hidden.rows()) {
    return head.Step(hidden, targets.words, scale, work);
  }
  work->hidden.Resize(count, hidden.cols());
  for (size_t i = 0; i < count; ++i) {
    std::copy_n(hidden.Row(targets.rows[i]), hidden.cols(),
                work->hidden.Row(i));
  }
  const double loss =
      head.Step(work->hidden.view(), targets.words, scale, work);
  std::swap(work->hidden, work->d_hidden);
  work->d_hidden.Resize(hidden.rows(), hidden.cols());
  SetZero(work->d_hidden.view());
  for (size_t i = 0; i < count; ++i) {
    std::copy_n(work->hidden.Row(i), hidden.cols(),
                work->d_hidden.Row(targets.rows[i]));
  }
  return loss;
}

template double StepOnTargets(const Head<float>&, ConstView<float>,
                              const Targets&, float, HeadWork<float>*);
#ifdef FIRTH_DOUBLES
template double StepOnTargets(const Head<double>&, ConstView<double>,
                              const Targets&, double, HeadWork<double>*);
#endif

}  // namespace firth::nn
