// The binary tree of hierarchical softmax.

#ifndef FIRTH_VOCAB_HUFFMAN_TREE_H_
#define FIRTH_VOCAB_HUFFMAN_TREE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "firth/word_id.h"

namespace firth {

// The order in which nodes of equal weight are merged.
enum class HuffmanTies {
  // A leaf first, the one with the lower number: the flattest tree.
  kLeavesFirst,
  // An inner node first, then the leaf with the higher number. For counts above
  // 0 in descending order, this is the tree of fastText.
  kInnerFirst,
};

// Words are the leaves. Frequent words are near the root (Huffman 1952), which
// makes the mean path as short as possible in a binary tree. Inner nodes are
// numbered 0 to vocab_size - 2. Immutable; safe for all threads.
class HuffmanTree {
 public:
  // One branch on the path from the root to a word.
  struct Step {
    uint32_t node : 31;   // The inner node at which it branches.
    uint32_t branch : 1;  // 0 or 1.
  };

  // Takes at least 2 and fewer than 2^31 counts, in any order.
  explicit HuffmanTree(absl::Span<const uint64_t> counts,
                       HuffmanTies ties = HuffmanTies::kLeavesFirst);

  // Returns the path from the root, which has at least one step.
  absl::Span<const Step> Path(WordId word) const {
    const uint64_t begin = begins_[Index(word)];
    return {steps_.data() + begin, begins_[Index(word) + 1] - begin};
  }

  size_t num_nodes() const { return begins_.size() - 2; }
  size_t longest_path() const { return longest_path_; }

 private:
  std::vector<uint64_t> begins_;  // [vocab_size + 1], positions in steps_.
  std::vector<Step> steps_;
  size_t longest_path_ = 0;
};

}  // namespace firth

#endif  // FIRTH_VOCAB_HUFFMAN_TREE_H_
