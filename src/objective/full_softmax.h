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

#ifndef FIRTH_OBJECTIVE_FULL_SOFTMAX_H_
#define FIRTH_OBJECTIVE_FULL_SOFTMAX_H_

#include <cstddef>

#include "firth/train.h"
#include "model/embedding_model.h"
#include "objective/objective_tables.h"
#include "simd/softmax_kernel.h"

namespace firth {

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

}  // namespace firth

#endif  // FIRTH_OBJECTIVE_FULL_SOFTMAX_H_
