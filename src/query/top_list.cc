#include "query/top_list.h"

#include <algorithm>
#include <utility>

namespace firth {

void TopList::Push(const Neighbor& neighbor) {
  if (!Accepts(neighbor)) return;
  if (heap_.size() == capacity_) {
    std::pop_heap(heap_.begin(), heap_.end(), IsBetter);
    heap_.back() = neighbor;
  } else {
    heap_.push_back(neighbor);
  }
  std::push_heap(heap_.begin(), heap_.end(), IsBetter);
}

void TopList::Merge(const TopList& other) {
  for (const Neighbor& neighbor : other.heap_) Push(neighbor);
}

std::vector<Neighbor> TopList::TakeSorted() {
  std::sort_heap(heap_.begin(), heap_.end(), IsBetter);
  return std::exchange(heap_, {});
}

}  // namespace firth
