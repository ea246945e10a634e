// Counts of tagged sentences, and the hidden Markov model estimated from them.

#ifndef FIRTH_TAG_HMM_COUNTS_H_
#define FIRTH_TAG_HMM_COUNTS_H_

#include <array>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "firth/tagger.h"
#include "tag/hmm_model.h"
#include "tag/tag_set.h"

namespace firth {

// The rows are those of HmmModel, with numbers of occurrences as values.
struct HmmCounts {
  double tokens() const;

  std::vector<double> unigrams;  // [tags + 1]
  SparseRows bigrams;
  SparseRows trigrams;
  Vocabulary words;
  SparseRows word_tags;  // [words]
};

// Checks that the tokens and tags can be written to a model's file. Errors:
// InvalidArgument, one is empty or contains a line break.
absl::Status CheckForHmm(absl::Span<const TaggedSentence> sentences);

// Counts sentences that have tags.
HmmCounts CountTagged(absl::Span<const TaggedSentence> sentences,
                      const TagNumbers& numbers);

// Returns l1, l2 and l3 (Brants 2000, figure 1). Each trigram is removed from
// the counts and then votes, as often as it occurs, for the longest context
// that predicts it best. Each weight starts with one vote, so that no
// transition is impossible.
std::array<double, 3> DeletedInterpolation(const HmmCounts& counts);

// Estimates a model by relative frequencies.
HmmModel EstimateHmm(const HmmCounts& counts, std::vector<std::string> tags,
                     const HmmOptions& options);

}  // namespace firth

#endif  // FIRTH_TAG_HMM_COUNTS_H_
