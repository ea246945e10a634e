// The Unicode forms to which texts can be normalized before they are split.

#ifndef FIRTH_NORMALIZATION_H_
#define FIRTH_NORMALIZATION_H_

namespace firth {

// A letter with its marks may be written as one character ("é" as U+00E9) or as
// several (U+0065 U+0301), which are two words to a reader of bytes.
enum class Normalization {
  kNone,  // texts stay as they are
  kNfc,   // characters are composed
  kNfkc,  // and compatibility characters replaced: "ﬁ" becomes "fi"
};

}  // namespace firth

#endif  // FIRTH_NORMALIZATION_H_
