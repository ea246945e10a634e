// Noise-contrastive estimation. The score of word w given h is ln p(w | h),
// with a bias and with the normalizer Z(h) fixed to 1:
//
//   score(w) = w.h + b_w
//
// The log odds that a word is true and not one of K noise words drawn from q
// are score(w) - ln(K q(w)), and the loss of one example in nats is
//
//   L = -ln s(score(u) - ln K q(u)) - sum_k ln s(ln K q(v_k) - score(v_k))
//
// With label t_w = 1 for the true word and 0 for noise, its derivatives are
//
//   e_w     = s(score(w) - ln K q(w)) - t_w
//   dL/dw   = e_w h      dL/db_w = e_w      dL/dh = sum_w e_w w
//
// which approach those of the full softmax as K grows. Sources: Gutmann and
// Hyvarinen, AISTATS 2010; Mnih and Teh, ICML 2012, eq. 8 to 12 (Z = 1). q is
// the distribution that the sampler actually draws from. A noise word that is
// the target is kept, because the estimator requires q unchanged. Noise is
// shared over a window (see negative_sampling-inl.h). Biases start at -ln V, a
// uniform p.

#include "absl/types/span.h"
#include "base/prefetch.h"
#include "base/rng.h"
#include "firth/train.h"
#include "model/embedding_model.h"
#include "objective/objective_tables.h"
#include "objective/shared_noise.h"
#include "simd/targets.h"
#include "simd/window_block.h"

#if defined(FIRTH_OBJECTIVE_NCE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_OBJECTIVE_NCE_INL_H_
#undef FIRTH_OBJECTIVE_NCE_INL_H_
#else
#define FIRTH_OBJECTIVE_NCE_INL_H_
#endif

#include "hwy/highway.h"
#include "simd/shared_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

class Nce {
 public:
  Nce(const NceOptions& options, const ObjectiveTables& tables,
      EmbeddingModel& model, int threads)
      : noise_(options.negatives, tables),
        log_noise_(tables.log_noise.data()),
        output_(HotWords(model, threads)),
        bias_(model.output_bias().Row(0)) {}

  static constexpr size_t kMostCenters = SharedNoise::kMostCenters;
  size_t MaxRows() const { return noise_.MaxRows(); }

  HWY_INLINE void PrefetchSelection(absl::Span<const WordId>, Rng rng) {
    noise_.Draw(rng);
  }

  HWY_INLINE void Select(absl::Span<const WordId> targets, OutputBlock& block) {
    block.Clear();
    for (const WordId target : targets) Push(target, 1, block);
    noise_.ForEachWord([&](WordId noise) HWY_ATTR { Push(noise, 0, block); });
  }

  // Offsets are computed when the block is stepped, a few windows after it was
  // drawn. Their memory has arrived by then, and the biases are current.
  HWY_INLINE void Prepare(OutputBlock& block) const {
    float* const offsets = block.offsets();
    for (size_t j = 0; j < block.size; ++j) {
      const uint32_t id = block.ids[j];
      offsets[j] = log_noise_[id] - LoadElement(bias_, id);
    }
  }

  WorkerTable& hot_rows() { return output_; }

 private:
  HWY_INLINE void Push(WordId word, float label, OutputBlock& block) {
    const size_t id = Index(word);
    PrefetchForRead(log_noise_ + id);
    PrefetchElement(bias_, id);
    block.Push(output_.Row(id), static_cast<uint32_t>(word), label, 0);
  }

  SharedNoise noise_;
  const float* log_noise_;
  WorkerTable output_;
  SharedRow bias_;
};

inline Nce MakeObjective(const NceOptions& options,
                         const ObjectiveTables& tables, EmbeddingModel& model,
                         int threads) {
  return Nce(options, tables, model, threads);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
