// Sentences of a made-up language, for hidden Markov models.

#ifndef FIRTH_TESTS_TAG_TAGGED_SENTENCES_H_
#define FIRTH_TESTS_TAG_TAGGED_SENTENCES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "firth/tagged_text.h"

namespace firth {

// A determiner is followed by a noun, which ends in "er" or "ness", a noun by a
// verb, which ends in "ed" or "ing", and a verb by a determiner or a name,
// which has a capital letter. "run" is a noun or a verb.
inline std::vector<TaggedSentence> MadeUpSentences(size_t count,
                                                   uint64_t seed) {
  Rng rng(seed);
  const auto stem = [&rng] {
    std::string text;
    for (int i = 0; i < 2; ++i) {
      text += static_cast<char>('a' + rng.Below(20));
    }
    return text;
  };
  std::vector<TaggedSentence> sentences(count);
  for (TaggedSentence& sentence : sentences) {
    const auto add = [&](const std::string& token, const char* tag) {
      sentence.tokens.push_back(token);
      sentence.tags.emplace_back(tag);
    };
    for (uint32_t left = 1 + rng.Below(3); left > 0; --left) {
      if (rng.Below(3) == 0) {
        add(absl::StrCat(std::string(1, static_cast<char>('A' + rng.Below(20))),
                         stem()),
            "NAME");
      } else {
        add(rng.Below(2) == 0 ? "the" : "a", "DET");
        add(rng.Below(5) == 0 ? "run"
                              : stem() + (rng.Below(2) == 0 ? "er" : "ness"),
            "NOUN");
      }
      add(rng.Below(5) == 0 ? "run"
                            : stem() + (rng.Below(2) == 0 ? "ed" : "ing"),
          "VERB");
    }
  }
  return sentences;
}

}  // namespace firth

#endif  // FIRTH_TESTS_TAG_TAGGED_SENTENCES_H_
