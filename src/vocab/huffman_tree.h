// The binary tree of hierarchical softmax.

#ifndef FIRTH_VOCAB_HUFFMAN_TREE_H_
#define FIRTH_VOCAB_HUFFMAN_TREE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "firth/word_id.h"

namespace firth {

// Which of two nodes of one weight is merged first.
enum class HuffmanTies {
  kLeavesFirst,  // a leaf, the one with the lower number: the flattest tree
  // An inner node, then the leaf with the higher number: the tree of fastText,
  // for counts from 1 on in descending order.
  kInnerFirst,
};

// Words are the leaves; frequent ones sit near the root (Huffman 1952), which
// makes the mean path as short as a binary tree can have it. Inner nodes are
// numbered 0 to vocab_size - 2. Immutable; safe for all threads.
class HuffmanTree {
 public:
  // One turn on the way from the root to a word.
  struct Step {
    uint32_t node : 31;   // the inner node where it is taken
    uint32_t branch : 1;  // 0 or 1
  };

  // At least 2 and fewer than 2^31 counts, in descending order or not.
  explicit HuffmanTree(absl::Span<const uint64_t> counts,
                       HuffmanTies ties = HuffmanTies::kLeavesFirst);

  // From the root down. At least one step.
  absl::Span<const Step> Path(WordId word) const {
    const uint64_t begin = begins_[Index(word)];
    return {steps_.data() + begin, begins_[Index(word) + 1] - begin};
  }

  size_t num_nodes() const { return begins_.size() - 2; }
  size_t longest_path() const { return longest_path_; }

 private:
  std::vector<uint64_t> begins_;  // [vocab_size + 1], into steps_
  std::vector<Step> steps_;
  size_t longest_path_ = 0;
};

}  // namespace firth

#endif  // FIRTH_VOCAB_HUFFMAN_TREE_H_
