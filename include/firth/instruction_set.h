// Which of the processor's instruction sets the kernels use.

#ifndef FIRTH_INSTRUCTION_SET_H_
#define FIRTH_INSTRUCTION_SET_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

// Returns the instruction sets that this machine has and the kernels were built
// for, such as "avx2", the best first. The best one is the default.
std::vector<std::string> InstructionSets();

// Makes all kernels use this instruction set from now on. Instruction sets add
// numbers in different orders, so two machines give the same results only with
// one that both have. Must not be called while anything is being computed.
// Errors: InvalidArgument, with the names.
absl::Status UseInstructionSet(absl::string_view name);

}  // namespace firth

#endif  // FIRTH_INSTRUCTION_SET_H_
