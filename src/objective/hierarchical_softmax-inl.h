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

#include "absl/types/span.h"
#include "base/prefetch.h"
#include "base/rng.h"
#include "base/worker_table.h"
#include "firth/train.h"
#include "model/embedding_model.h"
#include "objective/objective_tables.h"
#include "simd/targets.h"
#include "simd/window_block.h"

#if defined(FIRTH_OBJECTIVE_HIERARCHICAL_SOFTMAX_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_OBJECTIVE_HIERARCHICAL_SOFTMAX_INL_H_
#undef FIRTH_OBJECTIVE_HIERARCHICAL_SOFTMAX_INL_H_
#else
#define FIRTH_OBJECTIVE_HIERARCHICAL_SOFTMAX_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

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

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
