#include "vocab/huffman_tree.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace firth {
namespace {

// Parents and branches of all nodes: first the leaves, then the inner nodes in
// the order in which they were created, so that a parent comes after its
// children.
struct Links {
  std::vector<uint32_t> parent;
  std::vector<uint8_t> branch;
};

// Uses two queues, each in ascending order of weight: the leaves sorted by
// count, and the inner nodes in the order of creation. The two lightest nodes
// are always at the heads, so the tree takes linear time after sorting (van
// Leeuwen 1976).
Links BuildLinks(absl::Span<const uint64_t> counts, HuffmanTies ties) {
  const bool inner_first = ties == HuffmanTies::kInnerFirst;
  const size_t leaves = counts.size();
  const size_t nodes = 2 * leaves - 1;
  std::vector<uint32_t> order(leaves);
  std::iota(order.begin(), order.end(), 0u);
  if (inner_first) std::reverse(order.begin(), order.end());
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return counts[a] < counts[b];
  });
  Links links{std::vector<uint32_t>(nodes), std::vector<uint8_t>(nodes)};
  std::vector<uint64_t> weights(counts.begin(), counts.end());
  weights.reserve(nodes);
  size_t next_leaf = 0;
  size_t next_inner = leaves;
  const auto take_lightest = [&]() -> uint32_t {
    const auto leaf_is_lighter = [&] {
      const uint64_t leaf = weights[order[next_leaf]];
      const uint64_t inner = weights[next_inner];
      return leaf < inner || (leaf == inner && !inner_first);
    };
    const bool leaf = next_leaf < leaves &&
                      (next_inner >= weights.size() || leaf_is_lighter());
    return leaf ? order[next_leaf++] : static_cast<uint32_t>(next_inner++);
  };
  while (weights.size() < nodes) {
    const auto made = static_cast<uint32_t>(weights.size());
    uint64_t weight = 0;
    for (const uint8_t branch : {0, 1}) {
      const uint32_t child = take_lightest();
      links.parent[child] = made;
      links.branch[child] = branch;
      weight += weights[child];
    }
    weights.push_back(weight);
  }
  return links;
}

}  // namespace

HuffmanTree::HuffmanTree(absl::Span<const uint64_t> counts, HuffmanTies ties) {
  const size_t leaves = counts.size();
  FIRTH_CHECK(leaves >= 2 && leaves < (size_t{1} << 31));
  const Links links = BuildLinks(counts, ties);
  const size_t root = links.parent.size() - 1;
  begins_.reserve(leaves + 1);
  begins_.push_back(0);
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    for (size_t node = leaf; node != root; node = links.parent[node]) {
      steps_.push_back({static_cast<uint32_t>(links.parent[node] - leaves),
                        links.branch[node]});
    }
    std::reverse(steps_.begin() + static_cast<ptrdiff_t>(begins_.back()),
                 steps_.end());
    longest_path_ = std::max(longest_path_, steps_.size() - begins_.back());
    begins_.push_back(steps_.size());
  }
}

}  // namespace firth
