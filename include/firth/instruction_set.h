// Which of the processor's instruction sets the kernels use.

#ifndef FIRTH_INSTRUCTION_SET_H_
#define FIRTH_INSTRUCTION_SET_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

// Those that this machine has and the kernels were built for, as "avx2", the
// best first: it is used unless told otherwise.
std::vector<std::string> InstructionSets();

// From now on kernels use this one. Instruction sets add numbers in different
// orders: with one that two machines have, both compute the same. Not while
// anything is being computed. Errors: InvalidArgument, with the names.
absl::Status UseInstructionSet(absl::string_view name);

}  // namespace firth

#endif  // FIRTH_INSTRUCTION_SET_H_
