// The best `capacity` of many neighbours, in a heap whose root is the worst of
// them.

#ifndef FIRTH_QUERY_TOP_LIST_H_
#define FIRTH_QUERY_TOP_LIST_H_

#include <cstddef>
#include <vector>

#include "firth/query.h"

namespace firth {

// The order of all answers: a total one, so that they do not depend on who
// scanned which rows.
inline bool IsBetter(const Neighbor& a, const Neighbor& b) {
  return a.score != b.score ? a.score > b.score : a.word < b.word;
}

class TopList {
 public:
  explicit TopList(size_t capacity) : capacity_(capacity) {}

  // Whether Push would keep it.
  bool Accepts(const Neighbor& neighbor) const {
    return heap_.size() < capacity_ ||
           (capacity_ > 0 && IsBetter(neighbor, heap_.front()));
  }
  // Keeps it, in place of the worst if the list is full, or does nothing.
  void Push(const Neighbor& neighbor);
  void Merge(const TopList& other);

  // Best first. The list is empty afterwards.
  std::vector<Neighbor> TakeSorted();

 private:
  size_t capacity_;
  std::vector<Neighbor> heap_;
};

}  // namespace firth

#endif  // FIRTH_QUERY_TOP_LIST_H_
