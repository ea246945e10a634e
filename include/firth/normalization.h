// Unicode normalization forms that can be applied to texts before tokenization.

#ifndef FIRTH_NORMALIZATION_H_
#define FIRTH_NORMALIZATION_H_

namespace firth {

// Unicode can write a letter with its marks as one character ("é" as U+00E9) or
// as several (U+0065 U+0301). Without normalization these are different words.
enum class Normalization {
  kNone,  // Texts stay unchanged.
  kNfc,   // Characters are composed.
  kNfkc,  // Compatibility characters are replaced too: "ﬁ" becomes "fi".
};

}  // namespace firth

#endif  // FIRTH_NORMALIZATION_H_
