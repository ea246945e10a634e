#include "query/top_list.h"

#include <algorithm>
#include <limits>
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

CandidateList::CandidateList(size_t top)
    : top_(top),
      prune_at_(2 * top + 16),
      threshold_(top == 0 ? std::numeric_limits<float>::infinity()
                          : -std::numeric_limits<float>::infinity()) {}

void CandidateList::Prune() {
  if (top_ == 0 || candidates_.size() < top_) return;
  const auto last_of_top =
      candidates_.begin() + static_cast<ptrdiff_t>(top_ - 1);
  std::nth_element(
      candidates_.begin(), last_of_top, candidates_.end(),
      [](const Candidate& a, const Candidate& b) { return a.lower > b.lower; });
  threshold_ = std::max(threshold_, last_of_top->lower);
  std::erase_if(candidates_, [this](const Candidate& candidate) {
    return candidate.upper < threshold_;
  });
  // If many rows are within their bounds of each other, the list grows instead.
  prune_at_ = 2 * std::max(candidates_.size(), top_) + 16;
}

void CandidateList::Merge(const CandidateList& other) {
  threshold_ = std::max(threshold_, other.threshold_);
  for (const Candidate& candidate : other.candidates_) {
    Push(candidate.word, candidate.lower, candidate.upper);
  }
}

std::vector<WordId> CandidateList::TakeWords() {
  Prune();
  std::vector<WordId> words;
  words.reserve(candidates_.size());
  for (const Candidate& candidate : candidates_) {
    words.push_back(candidate.word);
  }
  candidates_.clear();
  return words;
}

}  // namespace firth
