// Ranks agree before they go on: each tells the others what it has, so that all
// fail, stop or go on together.

#ifndef FIRTH_DISTRIBUTED_AGREEMENT_H_
#define FIRTH_DISTRIBUTED_AGREEMENT_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "firth/ranks.h"

namespace firth {

// Every rank's text, in the order of the ranks.
absl::StatusOr<std::vector<std::string>> GatherTexts(Ranks& ranks,
                                                     const std::string& own);

// Whether it is so on any rank, or the ranks have given up. ranks: null: this
// process is alone.
bool AnyRank(Ranks* ranks, bool own);

// Makes the text that of rank 0, where it has one: `own` is what rank 0 could
// make it with. Errors, the same on all: those of AgreeWithFirst().
absl::Status TakeFromFirst(Ranks& ranks, const absl::Status& own,
                           std::string* text);

// Returns the number that `compute` returns on rank 0; it is not called on the
// others. Errors, the same on all: those of `compute` and of the ranks.
absl::StatusOr<double> NumberOfFirst(
    Ranks& ranks, absl::FunctionRef<absl::StatusOr<double>()> compute);

}  // namespace firth

#endif  // FIRTH_DISTRIBUTED_AGREEMENT_H_
