// Generates sentences from any model that scores the next word: by taking the
// most probable word at each step (greedy), by drawing words with their
// probability, or by beam search, also for several texts at once. NextWords is
// the interface to the model.

#ifndef FIRTH_NN_DECODING_H_
#define FIRTH_NN_DECODING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
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
  // Starts with one hypothesis for each text, which has read what comes before
  // the sentence.
  virtual absl::StatusOr<ConstView<float>> Start() = 0;
  // Replaces hypothesis k by the previous parents[k], extended by words[k].
  virtual absl::StatusOr<ConstView<float>> Read(
      absl::Span<const size_t> parents, absl::Span<const uint32_t> words) = 0;
  // Returns the attention that led to what Start() or Read() returned,
  // [hypotheses, longest text], or null for a model without it.
  virtual const Matrix<float>* attention() { return nullptr; }
};

// A sentence, or the beginning of one, without the word that ends it.
struct Hypothesis {
  std::vector<uint32_t> words;
  // Sum of ln p, minus the penalty for the end of a short sentence.
  double score = 0;
  double log_probability = 0;
  bool ended = false;
  // With BeamOptions::attends, the attention with which each word, and the
  // end, was chosen: [tokens of the text] each.
  std::vector<std::shared_ptr<const std::vector<float>>> attention = {};
};

// Hypotheses X of a text are ranked by
//
//   (ln p - gamma |text| / |X|) / ((5 + |X|) / 6)^alpha
//     + beta sum_i ln min(sum_j a_ij, 1)
//
// where |X| includes the end and a_ij is the attention to token i of the text
// at word j (Wu et al., "Google's neural machine translation system", 2016; the
// term of gamma is OpenNMT's).
struct BeamOptions {
  size_t beam = 1;
  double length_normalization = 0;    // alpha
  double coverage_normalization = 0;  // beta; above 0 requires attention
  double end_normalization = 0;       // gamma
  bool attends = false;               // whether results have their attention
};

// Returns the value by which hypotheses are ranked, given their score, |X| and
// the sum of the attention to each token.
double RankOf(const BeamOptions& options, double score, size_t length,
              absl::Span<const double> coverage);

// One of the texts that are continued or translated.
struct SearchedText {
  double length = 1;      // |text|
  size_t max_tokens = 1;  // of the result
  size_t attended = 0;    // tokens that attention can choose from
};

// Returns the best sentences of a beam search for each text, at most beam of
// them, best first. If none ended, these are sentences of the maximum length.
// The best one is never worse than that of a greedy search. Errors: those of
// `next`, and Cancelled.
absl::StatusOr<std::vector<std::vector<Hypothesis>>> SearchTexts(
    NextWords& next, absl::Span<const SearchedText> texts,
    const BeamOptions& options, const Hooks& hooks = {});

// Returns one sentence, which is drawn by the key if the temperature is above
// 0. Errors: those of `next`, and Cancelled.
absl::StatusOr<Hypothesis> DrawSentence(NextWords& next,
                                        const GenerateOptions& options,
                                        uint64_t key, const Hooks& hooks = {});

// Does the same for a single sentence.
absl::StatusOr<std::vector<Hypothesis>> SearchSentences(
    NextWords& next, const GenerateOptions& options, const Hooks& hooks = {});

}  // namespace firth

#endif  // FIRTH_NN_DECODING_H_
