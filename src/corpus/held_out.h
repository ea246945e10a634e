// Whether a held-out text says anything about what is learnt.

#ifndef FIRTH_CORPUS_HELD_OUT_H_
#define FIRTH_CORPUS_HELD_OUT_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

// The loss of fewer tokens than these is chance: it differs by more between
// texts than between epochs.
constexpr uint64_t kLeastHeldOutTokens = 100;

struct HeldOutTokens {
  uint64_t all = 0;
  uint64_t known = 0;   // of words that are learnt
  uint64_t usable = 0;  // known ones that something is predicted from
};

// Errors: InvalidArgument, too few are usable. what: which ones these are, for
// the message: "expected at least 100 KNOWN".
absl::Status CheckHeldOut(const HeldOutTokens& tokens, absl::string_view what);

}  // namespace firth

#endif  // FIRTH_CORPUS_HELD_OUT_H_
