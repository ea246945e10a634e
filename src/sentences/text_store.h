// TextStore: many texts as ids of words, one after the other.

#ifndef FIRTH_SENTENCES_TEXT_STORE_H_
#define FIRTH_SENTENCES_TEXT_STORE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/checksum.h"

namespace firth {

class TextStore {
 public:
  void Add(absl::Span<const uint32_t> ids) {
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    begins_.push_back(ids_.size());
  }
  // Removes the last texts.
  void Truncate(size_t count) {
    begins_.resize(count + 1);
    ids_.resize(begins_.back());
  }
  size_t size() const { return begins_.size() - 1; }
  uint64_t num_ids() const { return ids_.size(); }
  absl::Span<const uint32_t> Text(size_t i) const {
    return absl::MakeConstSpan(ids_).subspan(begins_[i],
                                             begins_[i + 1] - begins_[i]);
  }
  absl::Span<const uint32_t> ids() const { return ids_; }
  uint64_t Sum(uint64_t seed) const {
    return Checksum(absl::MakeConstSpan(ids_),
                    Checksum(absl::MakeConstSpan(begins_), seed));
  }

 private:
  std::vector<uint32_t> ids_;
  std::vector<uint64_t> begins_ = {0};
};

// Returns a number that two texts share only if they are equal, or by chance.
inline uint64_t TextKey(absl::Span<const uint32_t> ids) {
  return Checksum(ids, 0);
}

}  // namespace firth

#endif  // FIRTH_SENTENCES_TEXT_STORE_H_
