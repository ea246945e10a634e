// The rows that may be among the best if scores are known within bounds.
//
// A quick scan gives each row a lower and an upper bound of its score. Once
// `top` rows have lower bounds of at least t, no row with an upper bound below
// t can be an answer. The remaining rows are scored exactly. A scan with coarse
// numbers therefore gives the answers of an exact one, provided that the bounds
// hold.

#ifndef FIRTH_QUERY_CANDIDATE_LIST_H_
#define FIRTH_QUERY_CANDIDATE_LIST_H_

#include <cstddef>
#include <vector>

#include "firth/word_id.h"

namespace firth {

class CandidateList {
 public:
  explicit CandidateList(size_t top);

  // Returns a value that only grows. A row whose upper bound is below it need
  // not be pushed.
  float threshold() const { return threshold_; }

  void Push(WordId word, float lower, float upper) {
    if (upper < threshold_) return;
    candidates_.push_back({word, lower, upper});
    if (candidates_.size() >= prune_at_) Prune();
  }
  void Merge(const CandidateList& other);

  // Returns the remaining rows, in no particular order.
  std::vector<WordId> TakeWords();

 private:
  struct Candidate {
    WordId word;
    float lower;
    float upper;
  };

  void Prune();

  size_t top_;
  size_t prune_at_;
  float threshold_;
  std::vector<Candidate> candidates_;
};

}  // namespace firth

#endif  // FIRTH_QUERY_CANDIDATE_LIST_H_
