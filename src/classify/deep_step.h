// A step of the deep part: one text, by stochastic gradient descent, as
// fastText has it (Joulin et al., "Bag of tricks for efficient text
// classification", EACL 2017).
//
//   hidden      = sum_f t_f input[f] / sum_f t_f, then the text's context
//   score_j     = hidden . output[j]
//   step_j      = learning_rate (target_j - probability_j)
//   input[f]   += t_f / sum t * sum_j step_j output[j]
//   output[j]  += step_j hidden
//
// j are all labels with the softmax of their scores, or each with a sigmoid; or
// the nodes on the way to a label in a tree, where the target is the branch; or
// a label and some that are drawn.

#ifndef FIRTH_SRC_CLASSIFY_DEEP_STEP_H_
#define FIRTH_SRC_CLASSIFY_DEEP_STEP_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/shared_matrix.h"
#include "base/worker_table.h"
#include "classify/feature_index.h"
#include "firth/classifier.h"
#include "vocab/huffman_tree.h"
#include "vocab/noise_distribution.h"

namespace firth {

struct DeepTables {
  SharedMatrix input;   // [features, dim]
  SharedMatrix output;  // [labels or inner nodes, dim + context dim]
};

// What a loss needs besides the tables. Immutable; safe for all threads.
class DeepLoss {
 public:
  // counts: of the labels. `loss` is not automatic.
  DeepLoss(const LabelLoss& loss, absl::Span<const uint64_t> counts);

  enum class Kind { kSoftmax, kOneVsAll, kTree, kSampled };
  Kind kind() const { return kind_; }
  const HuffmanTree& tree() const { return *tree_; }
  uint64_t negatives() const { return negatives_; }
  size_t output_rows() const { return output_rows_; }
  // Of labels by the square root of their counts, as fastText draws them.
  const NoiseDistribution& noise() const { return *noise_; }

 private:
  Kind kind_;
  size_t output_rows_;
  uint64_t negatives_ = 0;
  std::optional<HuffmanTree> tree_;
  std::optional<NoiseDistribution> noise_;
};

struct DeepText {
  absl::Span<const FeatureCount> features;
  absl::Span<const uint32_t> labels;  // those that it has, rising; not empty
  const float* context = nullptr;     // [context dim]
  // Set to learning_rate times what the loss falls by, for each value of the
  // context, where there is room for it: [context dim].
  float* context_step = nullptr;
};

// What a thread works in.
struct DeepRoom {
  // One of `threads` threads that step on the tables.
  explicit DeepRoom(DeepTables& tables, int threads = 1)
      : output(tables.output, 0, HotRows(tables.output, threads)),
        hidden(1, tables.output.cols()),
        gradient(1, tables.output.cols()),
        scores(1, tables.output.rows()) {}

  // Every text moves the rows of all labels; many of them are moved by few
  // texts each, and copies of many would not stay in the cache.
  static constexpr size_t kMostHotRows = 256;
  static size_t HotRows(const SharedMatrix& output, int threads) {
    return threads > 1 && output.rows() <= kMostHotRows ? output.rows() : 0;
  }

  WorkerTable output;
  PaddedMatrix hidden;
  PaddedMatrix gradient;
  PaddedMatrix scores;
};

// Returns the loss before the step, in nats. `key` is for what is drawn.
double StepDeep(const DeepText& text, const DeepLoss& loss, float learning_rate,
                uint64_t key, DeepTables& tables, DeepRoom& room);

// Exchanges what this thread has learnt in its copies of rows with the others:
// before its first step, now and then, and after the last one.
void ExchangeDeep(size_t thread, size_t threads, DeepRoom& room);

// Sets room.hidden; zeros where there is no feature.
void SetHidden(absl::Span<const FeatureCount> features, const float* context,
               DeepTables& tables, DeepRoom& room);
// Sets scores [rows of output] from room.hidden.
void ScoreDeep(DeepTables& tables, const DeepRoom& room, float* scores);

// The scores of the turns of a path, those that lead to branch 0 negated.
void ScoreTurns(absl::Span<const HuffmanTree::Step> path, DeepTables& tables,
                const DeepRoom& room, float* scores);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_DEEP_STEP_H_
