// Agreement between ranks. Each rank sends its state to the others, so that all
// of them fail, stop or continue together.

#ifndef FIRTH_DISTRIBUTED_AGREEMENT_H_
#define FIRTH_DISTRIBUTED_AGREEMENT_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "firth/ranks.h"

namespace firth {

// Returns the texts of all ranks, in the order of the ranks.
absl::StatusOr<std::vector<std::string>> GatherTexts(Ranks& ranks,
                                                     const std::string& own);

// Returns whether `own` is true on any rank, or the ranks have given up. If
// `ranks` is null, this process is alone.
bool AnyRank(Ranks* ranks, bool own);

// Replaces the text on all ranks by that of rank 0, if it has one. `own` states
// whether rank 0 could create it. Errors, the same on all ranks: those of
// AgreeWithFirst().
absl::Status TakeFromFirst(Ranks& ranks, const absl::Status& own,
                           std::string* text);

// Returns the number that `compute` returns on rank 0; the other ranks do not
// call it. Errors, the same on all: those of `compute` and of the ranks.
absl::StatusOr<double> NumberOfFirst(
    Ranks& ranks, absl::FunctionRef<absl::StatusOr<double>()> compute);

}  // namespace firth

#endif  // FIRTH_DISTRIBUTED_AGREEMENT_H_
