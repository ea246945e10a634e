// LabelTree: the tree of labels with LabelLink::kTree, and the search for its
// most probable leaves without visiting the others.
//
// The probability of a leaf is the product of those of the branches on its
// path, none of which is above 1. The probability of a node is therefore an
// upper bound for all nodes below it. Visited nodes wait in a heap, from which
// the most probable one is taken. A leaf that is taken is more probable than
// everything that still waits. The search visits only nodes that are more
// probable than the last requested leaf, and their children.

#ifndef FIRTH_CLASSIFY_MODEL_LABEL_TREE_H_
#define FIRTH_CLASSIFY_MODEL_LABEL_TREE_H_

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
  // A waiting node, with its probability and its number. Labels are numbered
  // first, then inner nodes.
  struct Waiting {
    float probability;
    uint32_t node;
  };

  // `counts` are those of the labels, at least 2.
  explicit LabelTree(absl::Span<const uint64_t> counts);

  size_t num_nodes() const { return tree_.num_nodes(); }
  absl::Span<const HuffmanTree::Step> Path(size_t label) const {
    return tree_.Path(ToWordId(label));
  }

  // Returns the probability of a label. `turns` has the probability of branch 1
  // for each inner node.
  float Probability(size_t label, absl::Span<const float> turns) const;

  // Sets *found to at most `most` labels with a probability of at least
  // `least`, most probable first, with ties broken by position. The
  // probabilities equal those of Probability(), bit for bit. `turn` returns the
  // probability of branch 1 and is called at most once per node. `room` is a
  // buffer.
  void FindMostProbable(absl::FunctionRef<float(uint32_t node)> turn,
                        size_t most, double least, std::vector<Waiting>* room,
                        std::vector<LabelProbability>* found) const;

 private:
  HuffmanTree tree_;
  // [inner nodes] The nodes to which branches 0 and 1 of each node lead,
  // numbered as Waiting::node.
  std::vector<std::array<uint32_t, 2>> children_;
};

}  // namespace firth

#endif  // FIRTH_CLASSIFY_MODEL_LABEL_TREE_H_
