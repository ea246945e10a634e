// Two sentences read together, as BERT reads them: <S> a </S> b </S>, where
// what stands behind the first </S> is of the second segment, whose vector is
// added to those of its tokens (Devlin et al. 2019, section 3.1; see
// SentenceBatch). The vector of the first segment is in those of the positions.

#ifndef FIRTH_LM_SENTENCE_PAIRS_H_
#define FIRTH_LM_SENTENCE_PAIRS_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/language_model.h"
#include "lm/language_model.h"

namespace firth {

// Of each pair, the scores of a model with a head for next sentences: that the
// second follows the first, and that it does not. The words are those that the
// model reads: pieces, where it reads pieces. Errors: InvalidArgument, a pair
// of more tokens than the model has positions for; Cancelled.
absl::StatusOr<Matrix<float>> ScorePairs(
    BiLanguageModel& model, absl::Span<const LanguageModel::Pair> pairs,
    const Hooks& hooks);

}  // namespace firth

#endif  // FIRTH_LM_SENTENCE_PAIRS_H_
