// Full softmax by matrix products, in blocks of hidden vectors that limit the
// memory for their scores.

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "nn/candidates.h"
#include "nn/elementwise.h"
#include "nn/head.h"
#include "nn/repeated_factor.h"

namespace firth::nn {
namespace {

constexpr size_t kScoresAtOnce = size_t{1} << 24;
// Rows whose column sums are computed before they leave the cache.
constexpr size_t kRowsInCache = 16;

template <class T>
class FullSoftmaxHead : public RowsHead<T> {
 public:
  FullSoftmaxHead(std::unique_ptr<OutputRows<T>> rows, double label_smoothing)
      : RowsHead<T>(std::move(rows)), smoothing_(label_smoothing) {}

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
    work->losses.resize(scores.rows());
    for (size_t first = 0; first < scores.rows(); first += kRowsInCache) {
      const size_t count = std::min(kRowsInCache, scores.rows() - first);
      ForRows(count, scores.cols(), [&](size_t begin, size_t end) {
        for (size_t r = first + begin; r < first + end; ++r) {
          const T asked =
              AskedScore(scores.cols(), targets[r], bias, scores.Row(r));
          work->losses[r] = static_cast<double>(
              Softmax(scores.cols(), scale, bias, scores.Row(r)) - asked);
          TakeTarget(scores.cols(), targets[r], scale, scores.Row(r));
        }
      });
      AddColumnSums(scores.view().Rows(first, count), work->d_bias.data());
    }
    Multiply(scores.view(), rows, Into::kOverwrite, d_hidden);
    AddWeightGradient(scores.view(), hidden, work->d_rows.view());
    return std::accumulate(work->losses.begin(), work->losses.end(), 0.0);
  }

  // Returns the target's score or, with label smoothing, its weighted mean with
  // the scores of all words.
  T AskedScore(size_t words, uint32_t target, const T* bias,
               const T* scores) const {
    const T of_target = scores[target] + bias[target];
    if (smoothing_ == 0) return of_target;
    double sum = 0;
    for (size_t w = 0; w < words; ++w) sum += scores[w] + bias[w];
    return static_cast<T>((1 - smoothing_) * of_target +
                          smoothing_ * sum / static_cast<double>(words));
  }
  void TakeTarget(size_t words, uint32_t target, T scale, T* scores) const {
    scores[target] -= static_cast<T>(1 - smoothing_) * scale;
    if (smoothing_ == 0) return;
    const T each = static_cast<T>(smoothing_ / static_cast<double>(words));
    for (size_t w = 0; w < words; ++w) scores[w] -= each * scale;
  }

  double smoothing_;
  RepeatedFactor<T> scorer_;  // the selected rows, for both directions
};

}  // namespace

template <class T>
std::unique_ptr<Head<T>> MakeFullSoftmaxHead(
    std::unique_ptr<OutputRows<T>> rows, double label_smoothing) {
  return std::make_unique<FullSoftmaxHead<T>>(std::move(rows), label_smoothing);
}

template std::unique_ptr<Head<float>> MakeFullSoftmaxHead(
    std::unique_ptr<OutputRows<float>>, double);
#ifdef FIRTH_DOUBLES
template std::unique_ptr<Head<double>> MakeFullSoftmaxHead(
    std::unique_ptr<OutputRows<double>>, double);
#endif

}  // namespace firth::nn
