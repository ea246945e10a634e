#include "corpus/held_out.h"

#include "absl/strings/str_cat.h"
#include "firth/thousands.h"

namespace firth {

absl::Status CheckHeldOut(const HeldOutTokens& tokens, absl::string_view what) {
  if (tokens.usable >= kLeastHeldOutTokens) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "valid: expected at least ", kLeastHeldOutTokens, " ", what, ", found ",
      Thousands(tokens.usable), " among ", Thousands(tokens.all), " tokens (",
      Thousands(tokens.known), " of them known)"));
}

}  // namespace firth
