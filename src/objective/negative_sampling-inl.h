// Negative sampling. For an input vector h, target row u and K noise rows v_k
// drawn from counts^0.75, the loss of one example in nats is
//
//   L = -ln s(u.h) - sum_k ln s(-v_k.h)        s(x) = 1 / (1 + exp(-x))
//
// and, as d/dx ln s(x) = 1 - s(x), its derivatives are
//
//   dL/du   = (s(u.h) - 1) h
//   dL/dv_k = s(v_k.h) h
//   dL/dh   = (s(u.h) - 1) u + sum_k s(v_k.h) v_k
//
// This is the window step with label 1 for u and 0 for v_k, without offsets.
// Source: Mikolov et al., "Distributed Representations of Words and Phrases and
// their Compositionality", NIPS 2013, eq. 4. All inputs of a window, or of two,
// share noise words (Ji et al. 2016). The mean of the gradient is the same, and
// each row is fetched once for all of them.

#include "absl/types/span.h"
#include "base/rng.h"
#include "firth/train.h"
#include "model/embedding_model.h"
#include "objective/objective_tables.h"
#include "objective/shared_noise.h"
#include "simd/targets.h"
#include "simd/window_block.h"

#if defined(FIRTH_OBJECTIVE_NEGATIVE_SAMPLING_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_OBJECTIVE_NEGATIVE_SAMPLING_INL_H_
#undef FIRTH_OBJECTIVE_NEGATIVE_SAMPLING_INL_H_
#else
#define FIRTH_OBJECTIVE_NEGATIVE_SAMPLING_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

class NegativeSampling {
 public:
  NegativeSampling(const NegativeSamplingOptions& options,
                   const ObjectiveTables& tables, EmbeddingModel& model,
                   int threads)
      : noise_(options.negatives, tables), output_(HotWords(model, threads)) {}

  static constexpr size_t kMostCenters = SharedNoise::kMostCenters;
  size_t MaxRows() const { return noise_.MaxRows(); }

  // Prefetches the memory that Select() reads. Select() must be called next,
  // with the same targets.
  HWY_INLINE void PrefetchSelection(absl::Span<const WordId>, Rng rng) {
    noise_.Draw(rng);
  }

  // Fills the block for windows that predict `targets`, one each, in this order
  // before the noise. Skips noise words that are targets, as word2vec.c does.
  HWY_INLINE void Select(absl::Span<const WordId> targets, OutputBlock& block) {
    block.Clear();
    for (const WordId target : targets) Push(target, 1, block);
    noise_.ForEachWord([&](WordId noise) HWY_ATTR {
      if (noise != targets.front() && noise != targets.back()) {
        Push(noise, 0, block);
      }
    });
  }

  HWY_INLINE void Prepare(OutputBlock&) const {}

  WorkerTable& hot_rows() { return output_; }

 private:
  HWY_INLINE void Push(WordId word, float label, OutputBlock& block) {
    block.Push(output_.Row(Index(word)), static_cast<uint32_t>(word), label, 0);
  }

  SharedNoise noise_;
  WorkerTable output_;
};

inline NegativeSampling MakeObjective(const NegativeSamplingOptions& options,
                                      const ObjectiveTables& tables,
                                      EmbeddingModel& model, int threads) {
  return NegativeSampling(options, tables, model, threads);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
