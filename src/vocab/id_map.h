// IdMap: from the ids of a reading to those of the vocabulary made from it.
//
// A bit for each old id tells whether it is kept, and a running count of bits
// finds its new id: 2 bits an id, since after pruning most ids are dead.

#ifndef FIRTH_VOCAB_ID_MAP_H_
#define FIRTH_VOCAB_ID_MAP_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace firth {

class IdMap {
 public:
  // Knows no id below `size`.
  explicit IdMap(size_t size) : groups_(size / 64 + 1) {}

  // Old ids come in rising order.
  void Add(uint32_t old_id, uint32_t new_id) {
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
    const Group& group = groups_[*id / 64];
    const uint64_t bit = uint64_t{1} << (*id % 64);
    if ((group.bits & bit) == 0) return false;
    *id = new_ids_[group.before + static_cast<uint32_t>(
                                      std::popcount(group.bits & (bit - 1)))];
    return true;
  }

 private:
  struct Group {
    uint64_t bits = 0;
    uint32_t before = 0;  // bits of all groups before
  };
  std::vector<Group> groups_;
  std::vector<uint32_t> new_ids_;
};

}  // namespace firth

#endif  // FIRTH_VOCAB_ID_MAP_H_
