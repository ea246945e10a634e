// Baum-Welch training of a hidden Markov model with text that has no tags (Baum
// et al. 1970; with tagged text as well: Merialdo, "Tagging English text with a
// probabilistic model", 1994).
//
// Each iteration counts how often every event is expected under the current
// model, in the text without tags by the forward and backward passes, and adds
// the counts of the tagged text. An event c after (a, b) is explained by l1
// P(c), l2 P(c | b) or l3 P(c | a, b), in proportion to their values. P(c | b),
// P(c | a, b) and p(w | t) then become relative frequencies of these expected
// counts, so ln p of both texts together never falls. The weights, P(c) and the
// endings of words stay: with the text that it is to predict, the longest
// context would get all the weight.

#ifndef FIRTH_TAG_BAUM_WELCH_H_
#define FIRTH_TAG_BAUM_WELCH_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/progress.h"
#include "firth/tagged_text.h"
#include "tag/hmm_counts.h"
#include "tag/hmm_lattice.h"
#include "tag/hmm_model.h"

namespace firth {

// A sentence of known words.
using WordIds = std::vector<WordId>;

// Returns the words of the sentences. New words are added to the model, with
// their tags as guessed from their endings, and to the counts, as words that
// never occurred.
std::vector<WordIds> AddUntagged(absl::Span<const TaggedSentence> sentences,
                                 HmmModel* model, HmmCounts* tagged);

class BaumWelch {
 public:
  // Borrows the counts and sentences. The counts have the rows of the model,
  // and may all be 0.
  BaumWelch(HmmModel model, const HmmCounts& tagged,
            absl::Span<const WordIds> sentences);

  const HmmModel& model() const { return model_; }

  // Counts expected events. Returns ln p of the tagged text and of the
  // sentences without tags under the current model. Errors: Cancelled.
  absl::StatusOr<double> Expect(const Hooks& hooks);
  // Changes the model to the one that fits the expected counts best. Must
  // follow Expect().
  void Maximize();

 private:
  double CountTaggedEvents();
  double CountTransition(uint32_t b, uint32_t c, size_t trigram, double count);

  HmmModel model_;
  const HmmCounts& tagged_;
  absl::Span<const WordIds> sentences_;
  TransitionTable table_;
  ExpectedTransitions expected_;
  std::vector<double> emissions_;  // expected, as the values of the model's
};

}  // namespace firth

#endif  // FIRTH_TAG_BAUM_WELCH_H_
