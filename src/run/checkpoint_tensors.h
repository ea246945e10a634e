// The tensors of a learner in a checkpoint: what ranks have divided is whole
// there.

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

// Adds the tensors with the prefix to their names, on rank 0; others add empty
// tables for divided ones. All ranks call it with the same tensors, and come
// back together. ranks: null: none is divided. Borrows the values. Errors:
// those of JoinColumns().
absl::Status JoinTensors(Ranks* ranks, absl::string_view prefix,
                         const std::vector<NamedTensor>& tensors,
                         NamedTables* whole);

// Borrows the tables. Errors: OutOfRange, a value is not finite.
absl::Status AddTables(const NamedTables& tables, CheckedWriter* writer);

// Reads what this rank has of the tensors. Errors: DataLoss.
absl::Status ReadTensors(const CheckedReader& reader, absl::string_view prefix,
                         const std::vector<NamedTensor>& tensors);

}  // namespace firth

#endif  // FIRTH_RUN_CHECKPOINT_TENSORS_H_
