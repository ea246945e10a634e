// The tensors of a learner in a checkpoint, and copies of them in memory.
// Tensors that are divided among ranks are whole in a checkpoint.

#ifndef FIRTH_RUN_CHECKPOINT_TENSORS_H_
#define FIRTH_RUN_CHECKPOINT_TENSORS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/matrix.h"
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

// Copies of the values of tensors.
class TensorCopies {
 public:
  // Reuses the memory of an earlier call if it has the same size.
  void CopyFrom(const std::vector<NamedTensor>& tensors);
  bool empty() const { return tensors_.empty(); }

  // Returns the copies, with the names and the order of the originals.
  const std::vector<NamedTensor>& tensors() const { return tensors_; }

 private:
  // One row per tensor, including its gaps.
  std::vector<Matrix<float>> memory_;
  std::vector<NamedTensor> tensors_;
};

// Copies values between tensors of the same shapes, on all threads.
void CopyValues(const std::vector<NamedTensor>& from,
                const std::vector<NamedTensor>& to);

// Returns the bytes that copies of the tensors take.
uint64_t BytesOf(const std::vector<NamedTensor>& tensors);

}  // namespace firth

#endif  // FIRTH_RUN_CHECKPOINT_TENSORS_H_
