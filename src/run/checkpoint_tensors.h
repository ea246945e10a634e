// The tensors of a learner in a checkpoint. Tensors that are divided among
// ranks are whole there.

#ifndef FIRTH_RUN_CHECKPOINT_TENSORS_H_
#define FIRTH_RUN_CHECKPOINT_TENSORS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "firth/matrix.h"
#include "firth/ranks.h"
#include "io/tensors/checked_tensors.h"
#include "run/learner.h"

namespace firth {

using NamedTables = std::vector<std::pair<std::string, FloatTable>>;

// Adds the tensors on rank 0, with `prefix` before their names; the other ranks
// add empty tables for divided tensors. Collective; all ranks must pass the
// same tensors. If `ranks` is null, no tensor is divided. Borrows the values.
// Errors: those of JoinColumns().
absl::Status JoinTensors(Ranks* ranks, absl::string_view prefix,
                         const std::vector<NamedTensor>& tensors,
                         NamedTables* whole);

// Borrows the tables. Errors: OutOfRange, a value is not finite.
absl::Status AddTables(const NamedTables& tables, CheckedWriter* writer);

// Reads this rank's part of the tensors. Errors: DataLoss.
absl::Status ReadTensors(const CheckedReader& reader, absl::string_view prefix,
                         const std::vector<NamedTensor>& tensors);

}  // namespace firth

#endif  // FIRTH_RUN_CHECKPOINT_TENSORS_H_
