// IdMap: maps the ids assigned during reading to those of the final vocabulary.
//
// Low ids, which cover nearly all tokens, use a plain array. For the others, a
// bit indicates whether an id is kept, and a running count of bits gives its
// new id. This takes 2 bits per id, since most ids are unused after pruning.

#ifndef FIRTH_VOCAB_ID_MAP_H_
#define FIRTH_VOCAB_ID_MAP_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace firth {

class IdMap {
 public:
  // Creates a map for ids below `size`, which is still empty.
  explicit IdMap(size_t size)
      : low_ids_(std::min(size, kMostLowIds), kDropped),
        groups_(size / 64 + 1) {}

  // Old ids must be added in ascending order.
  void Add(uint32_t old_id, uint32_t new_id) {
    if (old_id < low_ids_.size()) {
      low_ids_[old_id] = new_id;
      return;
    }
    groups_[old_id / 64].bits |= uint64_t{1} << (old_id % 64);
    new_ids_.push_back(new_id);
  }
  // Must be called after the last Add().
  void Seal() {
    uint32_t before = 0;
    for (Group& group : groups_) {
      group.before = before;
      before += static_cast<uint32_t>(std::popcount(group.bits));
    }
  }

  // Returns whether `id` is kept. If so, replaces it by the new id.
  bool Translate(uint32_t* id) const {
    if (*id < low_ids_.size()) {
      *id = low_ids_[*id];
      return *id != kDropped;
    }
    const Group& group = groups_[*id / 64];
    const uint64_t bit = uint64_t{1} << (*id % 64);
    if ((group.bits & bit) == 0) return false;
    const auto rank =
        static_cast<uint32_t>(std::popcount(group.bits & (bit - 1)));
    *id = new_ids_[group.before + rank];
    return true;
  }

 private:
  static constexpr size_t kMostLowIds = size_t{1} << 20;
  static constexpr uint32_t kDropped = 0xFFFFFFFFu;
  struct Group {
    uint64_t bits = 0;
    uint32_t before = 0;  // Number of bits in all groups before.
  };
  std::vector<uint32_t> low_ids_;
  std::vector<Group> groups_;
  std::vector<uint32_t> new_ids_;
};

}  // namespace firth

#endif  // FIRTH_VOCAB_ID_MAP_H_
