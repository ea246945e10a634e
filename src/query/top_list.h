// The best of many neighbors, if scores are exact or known within bounds.

#ifndef FIRTH_QUERY_TOP_LIST_H_
#define FIRTH_QUERY_TOP_LIST_H_

#include <cstddef>
#include <vector>

#include "firth/query.h"
#include "firth/word_id.h"

namespace firth {

// Orders all answers. The order is total, so that the answers do not depend on
// which thread scanned which rows.
inline bool IsBetter(const Neighbor& a, const Neighbor& b) {
  return a.score != b.score ? a.score > b.score : a.word < b.word;
}

// The best `capacity` neighbors, in a heap whose root is the worst of them.
class TopList {
 public:
  explicit TopList(size_t capacity) : capacity_(capacity) {}

  // Returns whether Push() would keep the neighbor.
  bool Accepts(const Neighbor& neighbor) const {
    return heap_.size() < capacity_ ||
           (capacity_ > 0 && IsBetter(neighbor, heap_.front()));
  }
  // Keeps the neighbor if it is good enough. If the list is full, it replaces
  // the worst.
  void Push(const Neighbor& neighbor);
  void Merge(const TopList& other);

  // Returns the neighbors, best first. The list is empty afterwards.
  std::vector<Neighbor> TakeSorted();

 private:
  size_t capacity_;
  std::vector<Neighbor> heap_;
};

// The rows that may be among the best if scores are known within bounds.
//
// A quick scan gives each row a lower and an upper bound of its score. Once
// `top` rows have lower bounds of at least t, no row with an upper bound below
// t can be an answer. The remaining rows are scored exactly. A scan with coarse
// numbers therefore gives the answers of an exact one, provided that the bounds
// hold.
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

#endif  // FIRTH_QUERY_TOP_LIST_H_
