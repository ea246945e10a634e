// Cuts sentences that are longer than the model's positions into windows that
// overlap by half. Each token's vector is taken from the window in which it
// sees most.

#ifndef FIRTH_LM_READ_SENTENCE_WINDOWS_H_
#define FIRTH_LM_READ_SENTENCE_WINDOWS_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/contextualizer.h"
#include "lm/model/language_model_options.h"

namespace firth {

// Returns the maximum number of tokens that a model reads at once, without the
// marks at the ends; 0 means no limit.
size_t MostTokens(const LanguageModelOptions& options);

class SentenceWindows {
 public:
  using Sentence = std::vector<absl::string_view>;

  // `most` is the number of tokens per window, or 0 for whole sentences. If
  // `causal`, a token sees only previous ones. Borrows the tokens.
  SentenceWindows(absl::Span<const Sentence> sentences, size_t most,
                  bool causal);

  // The windows, as sentences. They are not moved.
  const std::vector<Sentence>& windows() const { return windows_; }
  // The position from which the vector of a sentence's token is taken.
  struct Place {
    size_t window;
    size_t token;  // in the window
  };
  // Returns the places of all tokens, one sentence after another.
  std::vector<Place> Places() const;
  // Returns the vectors of the sentences, given those of the windows.
  std::vector<TokenVectors> Join(std::vector<TokenVectors> vectors) const;

 private:
  // The tokens of a window from `begin` up to `end`, which are tokens of a
  // sentence from `first` on.
  struct Part {
    size_t sentence;
    size_t first;
    size_t begin;
    size_t end;
  };

  void AddSentence(const Sentence& sentence, size_t most, bool causal);

  std::vector<Sentence> windows_;
  std::vector<Part> parts_;     // [windows]
  std::vector<size_t> tokens_;  // [sentences]
};

}  // namespace firth

#endif  // FIRTH_LM_READ_SENTENCE_WINDOWS_H_
