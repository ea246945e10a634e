// Applies the logged steps of a round to the rows.

#ifndef FIRTH_TRAIN_ROUNDS_APPLY_LOGS_H_
#define FIRTH_TRAIN_ROUNDS_APPLY_LOGS_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "base/shared_matrix.h"
#include "model/embedding_model.h"
#include "train/rounds/slice_log.h"

namespace firth {

// Constants c that limit sums of steps. A round sums steps that were all
// computed from the same values. If n steps have the same direction, their sum
// goes n times as far as one of them. If each goes the fraction s of the way, s
// n must stay below 2; otherwise they overshoot and diverge. So a sum of n
// steps is divided by c (n - 1), if that is more than 1, with c = s / 1.5. For
// a logistic loss
//
//   s = rate * (pairs per step) * (mean slope of the sigmoid)
//       * (largest eigenvalue of E[x x^T]),
//
// where x are the vectors of the other side. The eigenvalue is the curvature
// along the direction that they share. In a large vocabulary, hardly any row
// has so many steps in a round.
struct Damping {
  float input = 0;
  float output = 0;
  float position = 0;
  float bias = 0;
};

class LogApplier {
 public:
  // Borrows the model.
  explicit LogApplier(EmbeddingModel& model);

  // Applies the steps of all logs, in order, to one partition of each table.
  // Partitions have no rows in common, so each may have its own thread.
  void Apply(absl::Span<const SliceLog> logs, const Damping& damping,
             size_t partition);

  // Data for the code that is compiled per instruction set.
  struct Table {
    SharedMatrix* rows;
    std::vector<float> visits;  // Of each row in this round; otherwise 0.
  };
  struct Tables {
    Table input;
    Table output;
    Table positions;
    SharedRow bias;
    std::vector<float> bias_visits;
    size_t dim;
  };

 private:
  Tables tables_;
};

}  // namespace firth

#endif  // FIRTH_TRAIN_ROUNDS_APPLY_LOGS_H_
