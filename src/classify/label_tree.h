// LabelTree: the tree that labels stand in under LabelLink::kTree, and the way
// to its most probable leaves without a look at the others.
//
// The probability of a leaf is the product of those of the turns on its path,
// none of which is above 1: so a node's is a bound of all below it. The nodes
// that were seen wait in a heap, and the most probable one is taken: a leaf
// that comes out is more probable than whatever still waits. What is looked at
// are the nodes more probable than the last leaf that is wanted, and their
// children.

#ifndef FIRTH_SRC_CLASSIFY_LABEL_TREE_H_
#define FIRTH_SRC_CLASSIFY_LABEL_TREE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "firth/classifier.h"
#include "vocab/huffman_tree.h"

namespace firth {

// Immutable; safe for all threads.
class LabelTree {
 public:
  // A node that waits: its probability and its number, labels first, the inner
  // nodes behind them.
  struct Waiting {
    float probability;
    uint32_t node;
  };

  // counts: of the labels, at least 2.
  explicit LabelTree(absl::Span<const uint64_t> counts);

  size_t num_nodes() const { return tree_.num_nodes(); }
  absl::Span<const HuffmanTree::Step> Path(size_t label) const {
    return tree_.Path(ToWordId(label));
  }

  // The probability of a label. turns: of each inner node, that of branch 1.
  float Probability(size_t label, absl::Span<const float> turns) const;

  // Sets *found to the labels that are at least so probable, most probable
  // first and ties by position, at most `most` of them; probabilities have the
  // bits that Probability() gives. turn: as above, asked at most once a
  // node. `room` is worked in.
  void FindMostProbable(absl::FunctionRef<float(uint32_t node)> turn,
                        size_t most, double least, std::vector<Waiting>* room,
                        std::vector<LabelProbability>* found) const;

 private:
  HuffmanTree tree_;
  // [inner nodes] The nodes that branches 0 and 1 of each lead to; they have
  // the numbers of Waiting::node.
  std::vector<std::array<uint32_t, 2>> children_;
};

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_LABEL_TREE_H_
