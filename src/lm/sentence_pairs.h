// Two sentences read together, as in BERT: <S> a </S> b </S>. Tokens after the
// first </S> belong to the second segment, whose vector is added to theirs
// (Devlin et al. 2019, section 3.1; see SentenceBatch). The vector of the first
// segment is part of the position vectors.

#ifndef FIRTH_LM_SENTENCE_PAIRS_H_
#define FIRTH_LM_SENTENCE_PAIRS_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/language_model.h"
#include "lm/language_model.h"

namespace firth {

// Returns two scores per pair, from a model with a head for next sentences: the
// second sentence follows the first, and it does not. Models of pieces require
// pieces as words. Errors: InvalidArgument, a pair with more tokens than the
// model has positions; Cancelled.
absl::StatusOr<Matrix<float>> ScorePairs(
    BiLanguageModel& model, absl::Span<const LanguageModel::Pair> pairs,
    const Hooks& hooks);

}  // namespace firth

#endif  // FIRTH_LM_SENTENCE_PAIRS_H_
