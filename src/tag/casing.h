// The casing of a token: one of few kinds that are informative about names and
// that vectors of lowercased words no longer contain (Collobert et al.,
// "Natural language processing (almost) from scratch", JMLR 2011: the feature
// "caps", here with kinds for numbers and for scripts without case).

#ifndef FIRTH_TAG_CASING_H_
#define FIRTH_TAG_CASING_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace firth {

// Files contain these numbers.
enum class Casing : uint32_t {
  kNoLetter,   // "...", "%"
  kNumber,     // digits and no letter: "1,500"
  kLower,      // letters, none of them a capital: "the", "n't"
  kInitial,    // only the first letter is a capital: "Paris", "A"
  kCapitals,   // more than one letter, all capitals: "U.N."
  kMixed,      // any other letters: "McDonald", "iPhone"
  kWithDigit,  // a letter and a digit: "F16"
};
inline constexpr size_t kNumCasings = 7;

Casing CasingOf(absl::string_view token);

}  // namespace firth

#endif  // FIRTH_TAG_CASING_H_
