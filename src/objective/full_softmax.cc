#include "objective/full_softmax.h"

#include "simd/gemm.h"
#include "simd/softmax.h"

#if defined(FIRTH_RACE_FREE)
#include <mutex>
#endif

namespace firth {
namespace {

// Scores of one example become its row of G; returns its loss.
double ScoresToSteps(float learning_rate, absl::Span<const WordId> targets,
                     size_t vocab_size, float* scores) {
  const float log_sum = LogSumExp(scores, vocab_size);
  const auto count = static_cast<float>(targets.size());
  double loss = double{count} * log_sum;
  for (const WordId target : targets) loss -= scores[Index(target)];
  ScaledSoftmax(log_sum, -learning_rate * count, vocab_size, scores);
  for (const WordId target : targets) scores[Index(target)] += learning_rate;
  return loss;
}

#if defined(FIRTH_RACE_FREE)
// A BLAS has no atomic elements: the race-free flavour takes turns instead.
std::mutex output_mutex;
#endif

}  // namespace

double FullSoftmax::Step(float learning_rate, SoftmaxBatch& batch) const {
  if (batch.empty()) return 0;
#if defined(FIRTH_RACE_FREE)
  const std::lock_guard<std::mutex> lock(output_mutex);
#endif
  SharedMatrix& output = model_.output();
  const size_t vocab_size = output.rows();
  const size_t dim = output.dim();
  const size_t examples = batch.size();
  // Hogwild by the whole table: products of several workers may overlap, and a
  // sum that another one is writing may be lost.
  float* table = output.Row(0).UnsafeData();
  float* scores = batch.scores.data();
  Gemm(Transpose::kNo, Transpose::kYes, examples, vocab_size, dim, 1,
       batch.hidden.data(), batch.hidden.stride(), table, output.stride(), 0,
       scores, vocab_size);
  double loss = 0;
  for (size_t i = 0; i < examples; ++i) {
    const size_t begin = batch.target_begins[i];
    const size_t count = batch.target_begins[i + 1] - begin;
    loss += ScoresToSteps(
        learning_rate, absl::MakeConstSpan(batch.targets).subspan(begin, count),
        vocab_size, scores + i * vocab_size);
  }
  Gemm(Transpose::kNo, Transpose::kNo, examples, dim, vocab_size, 1, scores,
       vocab_size, table, output.stride(), 0, batch.hidden_steps.data(),
       batch.hidden_steps.stride());
  Gemm(Transpose::kYes, Transpose::kNo, vocab_size, dim, examples, 1, scores,
       vocab_size, batch.hidden.data(), batch.hidden.stride(), 1, table,
       output.stride());
  return loss;
}

}  // namespace firth
