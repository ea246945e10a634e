// Generates sentences from any model that scores the next word: by taking the
// most probable word at each step (greedy), by drawing words with their
// probability, or by beam search. NextWords is the interface to the model.

#ifndef FIRTH_NN_DECODING_H_
#define FIRTH_NN_DECODING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/language_model.h"
#include "firth/progress.h"
#include "nn/matrix.h"

namespace firth {

// The state of one or more hypotheses, one row each. Start() and Read() return
// ln p of every possible next word, [hypotheses, words], which is valid until
// the next call. It is minus infinity for words that cannot follow. Errors:
// OutOfRange, a value that is not finite.
class NextWords {
 public:
  virtual ~NextWords() = default;

  // Returns the word that ends a sentence.
  virtual uint32_t end() const = 0;
  // Starts with one hypothesis, which has read the text before the sentence.
  virtual absl::StatusOr<ConstView<float>> Start() = 0;
  // Replaces hypothesis k by the previous parents[k], extended by words[k].
  virtual absl::StatusOr<ConstView<float>> Read(
      absl::Span<const size_t> parents, absl::Span<const uint32_t> words) = 0;
};

// A sentence, or the beginning of one, without the word that ends it.
struct Hypothesis {
  std::vector<uint32_t> words;
  // Sum of ln p, minus the penalty for the end of a short sentence.
  double score = 0;
  double log_probability = 0;
  bool ended = false;
};

// Returns one sentence, which is drawn by the key if the temperature is above
// 0. Errors: those of `next`, and Cancelled.
absl::StatusOr<Hypothesis> DrawSentence(NextWords& next,
                                        const GenerateOptions& options,
                                        uint64_t key, const Hooks& hooks = {});

// Returns the best sentences, at most options.beam, of a search with as many
// hypotheses, best first. The greedy sentence is ranked with them, so the first
// one is at least as good as that. If none ended, these are sentences of the
// maximum length. The temperature must be 0. Errors: those of `next`, and
// Cancelled.
absl::StatusOr<std::vector<Hypothesis>> SearchSentences(
    NextWords& next, const GenerateOptions& options, const Hooks& hooks = {});

}  // namespace firth

#endif  // FIRTH_NN_DECODING_H_
