// How a token is written: one of few kinds that say much about names, and that
// a vector which was looked up in lower case no longer tells (Collobert et al.,
// "Natural language processing (almost) from scratch", JMLR 2011: the feature
// "caps", here with kinds for numbers and for scripts without case).

#ifndef FIRTH_TAG_CASING_H_
#define FIRTH_TAG_CASING_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace firth {

// Their numbers stand in files.
enum class Casing : uint32_t {
  kNoLetter,   // "...", "%"
  kNumber,     // digits and no letter: "1,500"
  kLower,      // letters, none of them a capital: "the", "n't"
  kInitial,    // the first letter alone is a capital: "Paris", "A"
  kCapitals,   // more than one letter, all of them capitals: "U.N."
  kMixed,      // any other letters: "McDonald", "iPhone"
  kWithDigit,  // a letter and a digit: "F16"
};
inline constexpr size_t kNumCasings = 7;

Casing CasingOf(absl::string_view token);

}  // namespace firth

#endif  // FIRTH_TAG_CASING_H_
