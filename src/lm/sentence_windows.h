// Sentences longer than what a model can number the positions of, as windows
// that overlap by half: each token's vector is taken from the window in which
// it sees most.

#ifndef FIRTH_LM_SENTENCE_WINDOWS_H_
#define FIRTH_LM_SENTENCE_WINDOWS_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/contextualizer.h"
#include "nn/layers.h"

namespace firth {

// How many tokens of a sentence layers read at once, without the marks at its
// ends; 0: any number.
size_t MostTokens(const nn::LayersOptions& layers);

class SentenceWindows {
 public:
  using Sentence = std::vector<absl::string_view>;

  // most: tokens of a window, at least 1; 0: a sentence is one window. causal:
  // a token sees those before it. Borrows the tokens.
  SentenceWindows(absl::Span<const Sentence> sentences, size_t most,
                  bool causal);

  // As many sentences; they stay where they are.
  const std::vector<Sentence>& windows() const { return windows_; }
  // Where a sentence's vector of a token is taken from.
  struct Place {
    size_t window;
    size_t token;  // of the window
  };
  // Of all tokens, a sentence behind another.
  std::vector<Place> Places() const;
  // Of the vectors of the windows, those of the sentences.
  std::vector<TokenVectors> Join(std::vector<TokenVectors> vectors) const;

 private:
  // A window's tokens from `begin` up to `end`, those of a sentence from
  // `first` on.
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

#endif  // FIRTH_LM_SENTENCE_WINDOWS_H_
