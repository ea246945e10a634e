// Sentences from whatever can tell which words may follow: the likeliest next
// word again and again (greedy), words drawn by their probability, or beam
// search. The model is behind NextWords.

#ifndef FIRTH_LM_DECODING_H_
#define FIRTH_LM_DECODING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/language_model.h"
#include "firth/progress.h"
#include "nn/matrix.h"

namespace firth {

// Holds what one or more hypotheses have read so far, a row each. Both calls
// return ln p of all words that may follow [hypotheses, words], minus infinity
// for a word that may not, valid until the next call. Errors: OutOfRange, a
// value that is not finite.
class NextWords {
 public:
  virtual ~NextWords() = default;

  // The word that ends a sentence.
  virtual uint32_t end() const = 0;
  // One hypothesis, which has read what stands before the sentence.
  virtual absl::StatusOr<ConstView<float>> Start() = 0;
  // Hypothesis k is what hypothesis parents[k] was, and reads words[k].
  virtual absl::StatusOr<ConstView<float>> Read(
      absl::Span<const size_t> parents, absl::Span<const uint32_t> words) = 0;
};

// A sentence, or the beginning of one, without the word that ends it.
struct Hypothesis {
  std::vector<uint32_t> words;
  // The sum of ln p, less what the end of a short sentence costs.
  double score = 0;
  double log_probability = 0;
  bool ended = false;
};

// One sentence, drawn by this key if the temperature is above 0. Errors: those
// of `next`, and Cancelled.
absl::StatusOr<Hypothesis> DrawSentence(NextWords& next,
                                        const GenerateOptions& options,
                                        uint64_t key, const Hooks& hooks = {});

// The best sentences of a search with options.beam hypotheses, the best first:
// those that ended or, where none did, those as long as allowed. Errors: those
// of `next`, and Cancelled.
absl::StatusOr<std::vector<Hypothesis>> SearchSentences(
    NextWords& next, const GenerateOptions& options, const Hooks& hooks = {});

}  // namespace firth

#endif  // FIRTH_LM_DECODING_H_
