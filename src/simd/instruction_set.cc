#include "firth/instruction_set.h"

#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/quote.h"
#include "simd/targets.h"
// Must come after simd/targets.h.
#include "hwy/highway.h"

namespace firth {
namespace {

std::string NameOf(int64_t target) {
  return absl::AsciiStrToLower(hwy::TargetName(target));
}

// Returns the targets of the machine, including those that UseInstructionSet()
// has excluded.
const std::vector<int64_t>& Targets() {
  static const auto& targets =
      *new std::vector<int64_t>(hwy::SupportedAndGeneratedTargets());
  return targets;
}

}  // namespace

std::vector<std::string> InstructionSets() {
  std::vector<std::string> names;
  for (const int64_t target : Targets()) names.push_back(NameOf(target));
  return names;
}

absl::Status UseInstructionSet(absl::string_view name) {
  for (const int64_t target : Targets()) {
    if (NameOf(target) != name) continue;
    hwy::DisableTargets(target - 1);  // Better ones have lower bits.
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("this machine has no instruction set ", Quote(name),
                   "; it has ", absl::StrJoin(InstructionSets(), ", ")));
}

}  // namespace firth
