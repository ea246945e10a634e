// Giving the rows what a round has taught.

#ifndef FIRTH_TRAIN_ROUNDS_APPLY_LOGS_H_
#define FIRTH_TRAIN_ROUNDS_APPLY_LOGS_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "base/shared_matrix.h"
#include "model/embedding_model.h"
#include "train/rounds/slice_log.h"

namespace firth {

// A round sums steps that were all made from the same place. Where they pull
// the same way, n of them go n times as far as the first, and if each goes the
// share s of the way, s n is to stay below 2, else they overshoot and diverge.
// So a sum of n steps is divided by c (n - 1), if that is more than 1, with
// c = s / 1.5. For a logistic loss
//
//   s = rate * (pairs a step) * (mean slope of the sigmoid)
//       * (greatest eigenvalue of E[x x^T]),
//
// x being the vectors of the other side: the curvature along the direction that
// they share. Of the rows of a large vocabulary hardly any has so many steps in
// a round.
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

  // Steps the rows of one partition of each table, by all logs in their order.
  // Partitions have no row in common: each may have a thread of its own.
  void Apply(absl::Span<const SliceLog> logs, const Damping& damping,
             size_t partition);

  // What the code for an instruction set works on.
  struct Table {
    SharedMatrix* rows;
    std::vector<float> visits;  // of each row in this round; else 0
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
