// The objectives as they stand in the papers: one pair at a time, in double,
// slow and obvious. What training does is compared with this.

#ifndef FIRTH_TESTS_SUPPORT_ORACLE_H_
#define FIRTH_TESTS_SUPPORT_ORACLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firth/train.h"
#include "model/embedding_model.h"
#include "objective/objective_tables.h"

namespace firth {

using DoubleRows = std::vector<std::vector<double>>;

struct OracleModel {
  DoubleRows input;
  DoubleRows output;
  std::vector<double> bias;     // empty, or one an output row
  DoubleRows position_weights;  // empty, or one a position of a context
};
OracleModel CopyModel(const EmbeddingModel& model);

// A window, and the noise words that were drawn for it. `reach` is its half.
struct OracleWindow {
  size_t center;
  size_t reach;
  std::vector<size_t> context;
  std::vector<size_t> positions;  // of the context: see ContextPosition()
  std::vector<size_t> noise;
};

// The sum of the windows' losses in nats, as a function of the parameters.
double LossOf(const std::vector<OracleWindow>& windows,
              const ArchitectureOptions& architecture,
              const ObjectiveOptions& objective, const ObjectiveTables& tables,
              const OracleModel& model);

// dL/dparameter by central differences, in the shape of the model.
OracleModel NumericGradient(const std::vector<OracleWindow>& windows,
                            const ArchitectureOptions& architecture,
                            const ObjectiveOptions& objective,
                            const ObjectiveTables& tables,
                            const OracleModel& model);

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_ORACLE_H_
