// The best `capacity` of many neighbors, in a heap whose root is the worst of
// them.

#ifndef FIRTH_QUERY_TOP_LIST_H_
#define FIRTH_QUERY_TOP_LIST_H_

#include <cstddef>
#include <vector>

#include "firth/query.h"

namespace firth {

// Orders all answers. The order is total, so that the answers do not depend on
// which thread scanned which rows.
inline bool IsBetter(const Neighbor& a, const Neighbor& b) {
  return a.score != b.score ? a.score > b.score : a.word < b.word;
}

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

}  // namespace firth

#endif  // FIRTH_QUERY_TOP_LIST_H_
