// IdMap: from the ids of a reading to those of the vocabulary made from it.
//
// Low ids, which hold nearly all tokens, have a plain array. For the others a
// bit tells whether an id is kept, and a running count of bits finds its new
// one: 2 bits an id, since after pruning most ids are dead.

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
  // For ids below `size`; none is known yet.
  explicit IdMap(size_t size)
      : low_ids_(std::min(size, kMostLowIds), kDropped),
        groups_(size / 64 + 1) {}

  // Old ids come in rising order.
  void Add(uint32_t old_id, uint32_t new_id) {
    if (old_id < low_ids_.size()) {
      low_ids_[old_id] = new_id;
      return;
    }
    groups_[old_id / 64].bits |= uint64_t{1} << (old_id % 64);
    new_ids_.push_back(new_id);
  }
  // After the last Add().
  void Seal() {
    uint32_t before = 0;
    for (Group& group : groups_) {
      group.before = before;
      before += static_cast<uint32_t>(std::popcount(group.bits));
    }
  }

  // Whether `id` is kept; then it becomes the new id.
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
    uint32_t before = 0;  // bits of all groups before
  };
  std::vector<uint32_t> low_ids_;
  std::vector<Group> groups_;
  std::vector<uint32_t> new_ids_;
};

}  // namespace firth

#endif  // FIRTH_VOCAB_ID_MAP_H_
