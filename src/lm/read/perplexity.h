// Measures how well a model predicts a text, or each of some sentences.

#ifndef FIRTH_LM_READ_PERPLEXITY_H_
#define FIRTH_LM_READ_PERPLEXITY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/corpus.h"
#include "firth/language_model.h"
#include "firth/progress.h"
#include "lm/model/language_model.h"

namespace firth {

// Adds up the losses of a text.
struct LossSums {
  uint64_t tokens = 0;
  uint64_t unknown = 0;
  double loss = 0;
  double unknown_loss = 0;

  void Add(double nats, bool is_unknown) {
    ++tokens;
    loss += nats;
    if (!is_unknown) return;
    ++unknown;
    unknown_loss += nats;
  }
  DirectionPerplexity Mean() const {
    const auto known = static_cast<double>(tokens - unknown);
    return {tokens, unknown, loss / static_cast<double>(tokens),
            known == 0 ? 0 : (loss - unknown_loss) / known};
  }
};

// Like LanguageModel::Measure(). The model must have a head.
absl::StatusOr<Perplexity> MeasurePerplexity(BiLanguageModel& model,
                                             const Corpus& text,
                                             const MeasureOptions& options,
                                             const Hooks& hooks);

// Like LanguageModel::TokenScores(). The model must read forward and have a
// softmax, for which PrepareAll() was called.
absl::StatusOr<std::vector<std::vector<TokenScore>>> ScoreTokens(
    BiLanguageModel& model, absl::Span<const LanguageModel::Sentence> sentences,
    const Hooks& hooks);

// Returns text such as "perplexity 91.2 forward, 88.0 backward".
std::string ShownPerplexity(const Perplexity& measured);

// Returns the number of threads for both directions, 1 or 2. If `threads` is 0,
// it depends on the number of cores.
int DirectionThreads(int threads);

}  // namespace firth

#endif  // FIRTH_LM_READ_PERPLEXITY_H_
