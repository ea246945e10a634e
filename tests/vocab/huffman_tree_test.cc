#include "vocab/huffman_tree.h"

#include <cmath>
#include <functional>
#include <queue>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

std::vector<uint64_t> ZipfCounts(size_t size) {
  std::vector<uint64_t> counts(size);
  for (size_t i = 0; i < size; ++i) counts[i] = 1 + 100000 / (i + 1);
  return counts;
}

std::string Code(const HuffmanTree& tree, size_t word) {
  std::string code;
  for (const HuffmanTree::Step step : tree.Path(ToWordId(word))) {
    code += step.branch == 1 ? '1' : '0';
  }
  return code;
}

// The total code length of any Huffman code: the sum of all merged weights.
uint64_t BestCost(const std::vector<uint64_t>& counts) {
  std::priority_queue<uint64_t, std::vector<uint64_t>, std::greater<>> heap(
      counts.begin(), counts.end());
  uint64_t cost = 0;
  while (heap.size() > 1) {
    uint64_t merged = heap.top();
    heap.pop();
    merged += heap.top();
    heap.pop();
    cost += merged;
    heap.push(merged);
  }
  return cost;
}

TEST(HuffmanTreeTest, MeanPathIsAsShortAsCanBe) {
  for (const size_t size : {2u, 3u, 7u, 1000u}) {
    const auto counts = ZipfCounts(size);
    const HuffmanTree tree(counts);
    uint64_t cost = 0;
    for (size_t i = 0; i < size; ++i) {
      cost += counts[i] * tree.Path(ToWordId(i)).size();
    }
    EXPECT_EQ(cost, BestCost(counts)) << size;
  }
}

TEST(HuffmanTreeTest, CodesAreFreeOfPrefixes) {
  const HuffmanTree tree(ZipfCounts(300));
  std::set<std::string> codes;
  double kraft = 0;
  for (size_t i = 0; i < 300; ++i) {
    const std::string code = Code(tree, i);
    EXPECT_TRUE(codes.insert(code).second);
    kraft += std::pow(0.5, code.size());
  }
  EXPECT_DOUBLE_EQ(kraft, 1);
  for (auto next = std::next(codes.begin()); next != codes.end(); ++next) {
    EXPECT_NE(next->rfind(*std::prev(next), 0), 0u);
  }
}

TEST(HuffmanTreeTest, PathsStartAtTheRootAndNameInnerNodes) {
  const HuffmanTree tree(ZipfCounts(50));
  EXPECT_EQ(tree.num_nodes(), 49u);
  size_t longest = 0;
  for (size_t i = 0; i < 50; ++i) {
    const auto path = tree.Path(ToWordId(i));
    EXPECT_EQ(path[0].node, 48u);
    for (const HuffmanTree::Step step : path) EXPECT_LT(step.node, 49u);
    longest = std::max(longest, path.size());
  }
  EXPECT_EQ(tree.longest_path(), longest);
}

TEST(HuffmanTreeTest, TwoWordsAndCountsOfZeroMakeATree) {
  EXPECT_EQ(HuffmanTree(std::vector<uint64_t>{5, 0}).Path(ToWordId(0)).size(),
            1u);
  const HuffmanTree tree(std::vector<uint64_t>{0, 0, 0, 0});
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(Code(tree, i).size(), 2u);
}

// By hand: 1 (leaf 4) and 2 (leaf 3) make 3, 2 and this 3 make 5, the leaf 3
// and this 5 make 8, and the leaf 5 comes last.
TEST(HuffmanTreeTest, InnerNodesGoBeforeLeavesOfTheirWeightIfToldTo) {
  const HuffmanTree tree(std::vector<uint64_t>{5, 3, 2, 2, 1},
                         HuffmanTies::kInnerFirst);
  EXPECT_EQ(Code(tree, 0), "0");
  EXPECT_EQ(Code(tree, 1), "10");
  EXPECT_EQ(Code(tree, 2), "110");
  EXPECT_EQ(Code(tree, 3), "1111");
  EXPECT_EQ(Code(tree, 4), "1110");
}

}  // namespace
}  // namespace firth
