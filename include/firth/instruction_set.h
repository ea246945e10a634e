// Selects the instruction set that the kernels use.

#ifndef FIRTH_INSTRUCTION_SET_H_
#define FIRTH_INSTRUCTION_SET_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

// Returns the names of the instruction sets that this machine supports and the
// kernels were built for, such as "avx2", best first. The first one is the
// default.
std::vector<std::string> InstructionSets();

// Makes the kernels use this instruction set from now on. Instruction sets add
// numbers in different orders; two machines that use the same one compute the
// same results. Must not be called during a computation. Errors:
// InvalidArgument, with the available names.
absl::Status UseInstructionSet(absl::string_view name);

}  // namespace firth

#endif  // FIRTH_INSTRUCTION_SET_H_
