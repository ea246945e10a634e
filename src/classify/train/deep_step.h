// A step of the deep part: stochastic gradient descent on one text, as in
// fastText (Joulin et al., "Bag of tricks for efficient text classification",
// EACL 2017).
//
//   hidden      = sum_f t_f input[f] / sum_f t_f, then the text's context
//   score_j     = hidden . output[j]
//   step_j      = learning_rate (target_j - probability_j)
//   input[f]   += t_f / sum t * sum_j step_j output[j]
//   output[j]  += step_j hidden
//
// The indexes j are all labels, with the softmax of their scores or a sigmoid
// for each; or the nodes on the path to a label in a tree, where the target is
// the branch; or a label and some that are sampled.

#ifndef FIRTH_CLASSIFY_TRAIN_DEEP_STEP_H_
#define FIRTH_CLASSIFY_TRAIN_DEEP_STEP_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/shared_matrix.h"
#include "classify/features/feature_index.h"
#include "firth/classifier.h"
#include "vocab/huffman_tree.h"
#include "vocab/noise_distribution.h"

namespace firth {

struct DeepTables {
  SharedMatrix input;   // [features, dim]
  SharedMatrix output;  // [labels or inner nodes, dim + context dim]
};

// The data of a loss besides the tables. Immutable; safe for all threads.
class DeepLoss {
 public:
  // `counts` are those of the labels. `loss` must not be automatic.
  DeepLoss(const LabelLoss& loss, absl::Span<const uint64_t> counts);

  enum class Kind { kSoftmax, kOneVsAll, kTree, kSampled };
  Kind kind() const { return kind_; }
  const HuffmanTree& tree() const { return *tree_; }
  uint64_t negatives() const { return negatives_; }
  size_t output_rows() const { return output_rows_; }
  // Returns the distribution of labels by the square root of their counts, as
  // in fastText.
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
  // Labels of the text, ascending, not empty.
  absl::Span<const uint32_t> labels;
  const float* context = nullptr;  // [context dim]
  // If not null, set to learning_rate times the negative gradient of the loss
  // with respect to the context: [context dim].
  float* context_step = nullptr;
};

// Buffers of one thread.
struct DeepRoom {
  // For one of `threads` threads that update the tables.
  explicit DeepRoom(DeepTables& tables, int threads = 1)
      : output(tables.output, 0, HotRows(tables.output, threads)),
        hidden(1, tables.output.cols()),
        gradient(1, tables.output.cols()),
        scores(1, tables.output.rows()) {}

  // Every text updates the rows of all labels. If there are many rows, each is
  // updated by few texts, and copies of many would not stay in the cache.
  static constexpr size_t kMostHotRows = 256;
  static size_t HotRows(const SharedMatrix& output, int threads) {
    return threads > 1 && output.rows() <= kMostHotRows ? output.rows() : 0;
  }

  WorkerTable output;
  PaddedMatrix hidden;
  PaddedMatrix gradient;
  PaddedMatrix scores;
};

// Trains on a text. Returns the loss before the step, in nats. `key` seeds
// random draws.
double StepDeep(const DeepText& text, const DeepLoss& loss, float learning_rate,
                uint64_t key, DeepTables& tables, DeepRoom& room);

// Exchanges the updates in this thread's copies of rows with those of other
// threads. Call before a thread's first step, from time to time, and after its
// last step.
void ExchangeDeep(size_t thread, size_t threads, DeepRoom& room);

// Sets room.hidden, to zeros if there are no features.
void SetHidden(absl::Span<const FeatureCount> features, const float* context,
               DeepTables& tables, DeepRoom& room);
// Sets scores [rows of output] from room.hidden.
void ScoreDeep(DeepTables& tables, const DeepRoom& room, float* scores);

// Sets scores to those of the branches of a path, negated for branch 0.
void ScoreTurns(absl::Span<const HuffmanTree::Step> path, DeepTables& tables,
                const DeepRoom& room, float* scores);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_TRAIN_DEEP_STEP_H_
