// How well a language model predicts a text, or each of some sentences.

#ifndef FIRTH_LM_PERPLEXITY_H_
#define FIRTH_LM_PERPLEXITY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/corpus.h"
#include "firth/language_model.h"
#include "firth/progress.h"
#include "lm/language_model.h"

namespace firth {

// As LanguageModel::Measure(). The model has a head.
absl::StatusOr<Perplexity> MeasurePerplexity(BiLanguageModel& model,
                                             const Corpus& text,
                                             const MeasureOptions& options,
                                             const Hooks& hooks);

// As LanguageModel::Score(). The model has a softmax, for which PrepareAll()
// was called, and reads forward.
absl::StatusOr<std::vector<SentenceScore>> ScoreSentences(
    BiLanguageModel& model, absl::Span<const LanguageModel::Sentence> sentences,
    const Hooks& hooks);

// As "perplexity 91.2 forward, 88.0 backward".
std::string ShownPerplexity(const Perplexity& measured);

// Threads for both directions: 1 or 2. threads: 0 means as cores are there.
int DirectionThreads(int threads);

}  // namespace firth

#endif  // FIRTH_LM_PERPLEXITY_H_
