// The objectives, for the per-target build: which output rows a window steps,
// and with which labels and offsets. Each has a MakeObjective() for its
// alternative of ObjectiveOptions.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/prefetch.h"
#include "base/rng.h"
#include "base/shared_matrix.h"
#include "firth/train.h"
#include "firth/word_id.h"
#include "model/embedding_model.h"
#include "objective/objective_tables.h"
#include "simd/softmax_kernel.h"
#include "simd/targets.h"
#include "simd/window_block.h"
#include "vocab/noise_distribution.h"

#if defined(FIRTH_OBJECTIVE_OBJECTIVES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_OBJECTIVE_OBJECTIVES_INL_H_
#undef FIRTH_OBJECTIVE_OBJECTIVES_INL_H_
#else
#define FIRTH_OBJECTIVE_OBJECTIVES_INL_H_
#endif

#include "hwy/highway.h"
#include "simd/shared_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// The common part of negative sampling and NCE. Each block has K noise words,
// drawn once for one window or for a few neighboring ones.
class SharedNoise {
 public:
  // Maximum number of windows that share their noise words.
  static constexpr size_t kMostCenters = kMostSharing;

  SharedNoise(int negatives, const ObjectiveTables& tables)
      : distribution_(*tables.noise), bits_(static_cast<size_t>(negatives)) {}

  size_t MaxRows() const { return bits_.size() + kMostCenters; }

  // Draws the bits of the next block's words, and prefetches the memory that
  // ForEachWord() reads.
  void Draw(Rng rng) {
    for (uint64_t& bits : bits_) {
      bits = rng.Next();
      distribution_.Prefetch(bits);
    }
  }

  // Calls call(word) for the noise words that were drawn last.
  template <class Call>
  void ForEachWord(const Call& call) const {
    for (const uint64_t bits : bits_) call(distribution_.WordOf(bits));
  }

 private:
  const NoiseDistribution& distribution_;
  std::vector<uint64_t> bits_;  // [negatives]
};

// Returns a worker's view of the output table, with copies of the rows that are
// drawn most often.
inline WorkerTable HotWords(EmbeddingModel& model, int threads) {
  const bool composed = model.composition() != nullptr;
  return WorkerTable(model.output(), 0,
                     NumHotWords(model.output().rows(), threads, composed));
}

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
      if (!IsAmong(targets, noise)) Push(noise, 0, block);
    });
  }

  HWY_INLINE void Prepare(OutputBlock&) const {}

  WorkerTable& hot_rows() { return output_; }

 private:
  static HWY_INLINE bool IsAmong(absl::Span<const WordId> targets,
                                 WordId word) {
    bool found = false;
    for (const WordId target : targets) found |= target == word;
    return found;
  }

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
// shared over a window, as in negative sampling. Biases start at -ln V, a
// uniform p.
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

// Hierarchical softmax. Each word is a leaf of a Huffman tree. Each inner node
// n on the path to it has a row v_n of the output table and predicts the
// branch:
//
//   p(w | h) = prod_n s(+- v_n.h)        s(x) = 1 / (1 + exp(-x))
//
// with + if the path takes branch 0. The loss L = -ln p(w | h) in nats is
// therefore a sum of logistic losses with labels t_n = 1 - branch, whose
// derivatives are
//
//   dL/dv_n = (s(v_n.h) - t_n) h
//   dL/dh   = sum_n (s(v_n.h) - t_n) v_n
//
// Probabilities sum to 1 over the words by construction. Source: Mikolov et
// al., "Distributed Representations of Words and Phrases and their
// Compositionality", NIPS 2013, eq. 3.
class HierarchicalSoftmax {
 public:
  HierarchicalSoftmax(const ObjectiveTables& tables, EmbeddingModel& model,
                      int threads)
      : tree_(*tables.tree), output_(HotNodes(model.output(), threads)) {}

  static constexpr size_t kMostCenters = 1;

  size_t MaxRows() const { return tree_.longest_path(); }

  HWY_INLINE void PrefetchSelection(absl::Span<const WordId> targets,
                                    Rng) const {
    PrefetchForRead(tree_.Path(targets.front()).data());
  }

  HWY_INLINE void Select(absl::Span<const WordId> targets, OutputBlock& block) {
    block.Clear();
    for (const HuffmanTree::Step step : tree_.Path(targets.front())) {
      block.Push(output_.Row(step.node), step.node, step.branch == 0 ? 1 : 0,
                 0);
    }
  }

  HWY_INLINE void Prepare(OutputBlock&) const {}

  WorkerTable& hot_rows() { return output_; }
  // Every window makes a step of the root, and the windows agree there.
  static constexpr size_t kMostTeamCenters = 512;

 private:
  // Makes the nodes near the root hot, which have the highest numbers.
  static WorkerTable HotNodes(SharedMatrix& output, int threads) {
    const size_t num_hot = NumHotNodes(output.rows(), threads);
    return WorkerTable(output, output.rows() - num_hot, num_hot,
                       WorkerTable::Hottest::kLast);
  }

  const HuffmanTree& tree_;
  WorkerTable output_;
};

inline HierarchicalSoftmax MakeObjective(const HierarchicalSoftmaxOptions&,
                                         const ObjectiveTables& tables,
                                         EmbeddingModel& model, int threads) {
  return HierarchicalSoftmax(tables, model, threads);
}

// Full softmax. The score of word w given the hidden vector h is u_w.h, and the
// loss of predicting the targets T of one hidden vector, in nats, is
//
//   L = sum_{t in T} (ln sum_w exp(u_w.h) - u_t.h)
//   dL/du_w = (|T| p(w | h) - #{t = w}) h      p = softmax of the scores
//   dL/dh   = sum_w (|T| p(w | h) - #{t = w}) u_w
//
// The cost of 6 V d flops per example is affordable only with matrix products.
// A worker therefore collects a batch of hidden vectors, and all steps of a
// batch use the same table (minibatch SGD; see simd/softmax_kernel.cc).
//
// Source: Bengio et al., "A Neural Probabilistic Language Model", JMLR 2003;
// Mikolov et al., NIPS 2013, eq. 2.
class FullSoftmax {
 public:
  FullSoftmax(const FullSoftmaxOptions& options, EmbeddingModel& model)
      : batch_size_(static_cast<size_t>(options.batch)), model_(model) {}

  size_t batch_size() const { return batch_size_; }

  // Makes one step on the output table and fills batch.hidden_steps, which the
  // caller adds to the input rows. Returns the sum of the losses in nats.
  double Step(float learning_rate, SoftmaxBatch& batch) const {
    return StepSoftmax(learning_rate, batch, model_.output());
  }

 private:
  size_t batch_size_;
  EmbeddingModel& model_;
};

inline FullSoftmax MakeObjective(const FullSoftmaxOptions& options,
                                 const ObjectiveTables&, EmbeddingModel& model,
                                 int /*threads*/) {
  return FullSoftmax(options, model);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
