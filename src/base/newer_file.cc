#include "base/newer_file.h"

#include "absl/strings/str_cat.h"

namespace firth {

absl::Status NewerFile(absl::string_view place, absl::string_view what,
                       uint64_t newest, uint64_t found,
                       absl::string_view program) {
  return absl::FailedPreconditionError(absl::StrCat(
      place, ": expected ", what, " of at most version ", newest,
      ", found version ", found, ", written by a newer version of ", program,
      "; upgrade Firth to read it"));
}

}  // namespace firth
