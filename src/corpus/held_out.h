// Checks whether a held-out text is large enough to measure training.

#ifndef FIRTH_CORPUS_HELD_OUT_H_
#define FIRTH_CORPUS_HELD_OUT_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

// The loss over fewer tokens is dominated by chance: it differs more between
// texts than between epochs.
constexpr uint64_t kLeastHeldOutTokens = 100;

struct HeldOutTokens {
  uint64_t all = 0;
  uint64_t known = 0;   // Tokens of words that are in the vocabulary.
  uint64_t usable = 0;  // Known tokens from which something is predicted.
};

// Errors: InvalidArgument, too few are usable. `what` describes usable tokens
// in the message: "expected at least 100 KNOWN".
absl::Status CheckHeldOut(const HeldOutTokens& tokens, absl::string_view what);

}  // namespace firth

#endif  // FIRTH_CORPUS_HELD_OUT_H_
