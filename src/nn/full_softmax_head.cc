// Full softmax by matrix products, in blocks of hidden vectors whose scores
// take a bounded amount of memory.

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "nn/candidates.h"
#include "nn/elementwise.h"
#include "nn/head.h"
#include "nn/repeated_factor.h"

namespace firth::nn {
namespace {

constexpr size_t kScoresAtOnce = size_t{1} << 24;

template <class T>
class FullSoftmaxHead : public RowsHead<T> {
 public:
  using RowsHead<T>::RowsHead;

  void Prepare(absl::Span<const uint32_t> /*targets*/,
               uint64_t /*key*/) override {
    this->rows().SelectAll();
    scorer_.Set(Transpose::kYes, this->rows().rows());
  }

  double Step(ConstView<T> hidden, absl::Span<const uint32_t> targets, T scale,
              HeadWork<T>* work) const override {
    FIRTH_CHECK(targets.size() == hidden.rows());
    this->StartStep(hidden, work);
    const size_t at_once = std::max<size_t>(
        1, kScoresAtOnce / std::max<size_t>(1, this->vocab_size()));
    double loss = 0;
    for (size_t first = 0; first < hidden.rows(); first += at_once) {
      const size_t count = std::min(at_once, hidden.rows() - first);
      loss +=
          StepBlock(hidden.Rows(first, count), targets.subspan(first, count),
                    scale, work->d_hidden.view().Rows(first, count), work);
    }
    return loss;
  }

 private:
  double StepBlock(ConstView<T> hidden, absl::Span<const uint32_t> targets,
                   T scale, View<T> d_hidden, HeadWork<T>* work) const {
    const ConstView<T> rows = this->rows().rows();
    const T* const bias = this->rows().bias();
    Matrix<T>& scores = work->scores;
    scores.Resize(hidden.rows(), rows.rows());
    scorer_.Multiply(hidden, Into::kOverwrite, scores.view());
    double loss = 0;
    for (size_t r = 0; r < scores.rows(); ++r) {
      const uint32_t target = targets[r];
      const T target_score = scores.Row(r)[target] + bias[target];
      loss += static_cast<double>(
          Softmax(scores.cols(), scale, bias, scores.Row(r)) - target_score);
      scores.Row(r)[target] -= scale;
      // While the row is in a cache.
      AddScaled(scores.cols(), T{1}, scores.Row(r), work->d_bias.data());
    }
    Multiply(scores.view(), rows, Into::kOverwrite, d_hidden);
    AddWeightGradient(scores.view(), hidden, work->d_rows.view());
    return loss;
  }

  RepeatedFactor<T> scorer_;  // the selected rows, for both directions
};

}  // namespace

template <class T>
std::unique_ptr<Head<T>> MakeFullSoftmaxHead(
    std::unique_ptr<OutputRows<T>> rows) {
  return std::make_unique<FullSoftmaxHead<T>>(std::move(rows));
}

template std::unique_ptr<Head<float>> MakeFullSoftmaxHead(
    std::unique_ptr<OutputRows<float>>);
template std::unique_ptr<Head<double>> MakeFullSoftmaxHead(
    std::unique_ptr<OutputRows<double>>);

}  // namespace firth::nn
