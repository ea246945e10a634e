// Full softmax. The score of word w after the hidden vector h is u_w.h, and the
// loss of predicting the targets T of one hidden vector, in nats, is
//
//   L = sum_{t in T} (ln sum_w exp(u_w.h) - u_t.h)
//   dL/du_w = (|T| p(w | h) - #{t = w}) h      p = softmax of the scores
//   dL/dh   = sum_w (|T| p(w | h) - #{t = w}) u_w
//
// Idea: 6 V d flops an example are a price only matrix products make payable. A
// worker collects a batch of B hidden vectors H [B, d]; then, with the output
// table U [V, d],
//
//   S = H U^T,  G = learning_rate (onehot - |T| softmax(S)),
//   H_step = G U,  U += G^T H
//
// are three products. Steps of a batch are made from the same U: minibatch SGD.
// Source: Bengio et al., "A Neural Probabilistic Language Model", JMLR 2003;
// Mikolov et al., NIPS 2013, eq. 2.

#ifndef FIRTH_OBJECTIVE_FULL_SOFTMAX_H_
#define FIRTH_OBJECTIVE_FULL_SOFTMAX_H_

#include <cstddef>
#include <vector>

#include "base/aligned_matrix.h"
#include "firth/train.h"
#include "firth/word_id.h"
#include "model/embedding_model.h"
#include "objective/objective_tables.h"

namespace firth {

// Hidden vectors with the words they are to predict. One a worker.
struct SoftmaxBatch {
  SoftmaxBatch(size_t max_examples, size_t vocab_size, size_t dim)
      : hidden(max_examples, dim),
        hidden_steps(max_examples, dim),
        scores(max_examples * vocab_size),
        target_begins{0} {}

  size_t size() const { return target_begins.size() - 1; }
  bool full() const { return size() == hidden.rows(); }
  bool empty() const { return size() == 0; }
  size_t num_targets() const { return targets.size(); }
  // Ends the example whose hidden vector stands in Row(size()) and whose
  // targets have been pushed.
  void EndExample() { target_begins.push_back(targets.size()); }
  void Clear() {
    targets.clear();
    target_begins.assign(1, 0);
  }

  AlignedMatrix hidden;        // [B, dim]
  AlignedMatrix hidden_steps;  // [B, dim], filled by Step()
  std::vector<float> scores;   // [B, vocab_size], scratch
  std::vector<WordId> targets;
  std::vector<size_t> target_begins;  // [examples + 1], into targets
};

class FullSoftmax {
 public:
  FullSoftmax(const FullSoftmaxOptions& options, EmbeddingModel& model)
      : batch_size_(static_cast<size_t>(options.batch)), model_(model) {}

  size_t batch_size() const { return batch_size_; }

  // One step on the output table; fills batch.hidden_steps, which the caller
  // gives back to the input rows. Returns the sum of the losses in nats.
  double Step(float learning_rate, SoftmaxBatch& batch) const;

 private:
  size_t batch_size_;
  EmbeddingModel& model_;
};

inline FullSoftmax MakeObjective(const FullSoftmaxOptions& options,
                                 const ObjectiveTables&, EmbeddingModel& model,
                                 int) {
  return FullSoftmax(options, model);
}

}  // namespace firth

#endif  // FIRTH_OBJECTIVE_FULL_SOFTMAX_H_
