#include "tokenizers/byte_trie.h"

#include <algorithm>

namespace firth {

// Nodes are created level by level. Each has a range of the sorted entries,
// those that begin with its bytes.
ByteTrie::ByteTrie(std::vector<std::pair<std::string, uint32_t>> entries) {
  std::stable_sort(
      entries.begin(), entries.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  struct Range {
    size_t begin;
    size_t end;
    size_t depth;
  };
  std::vector<Range> ranges = {{0, entries.size(), 0}};
  nodes_.emplace_back();
  for (size_t node = 0; node < nodes_.size(); ++node) {
    auto [begin, end, depth] = ranges[node];
    for (; begin < end && entries[begin].first.size() == depth; ++begin) {
      nodes_[node].value = entries[begin].second;
    }
    nodes_[node].children = static_cast<uint32_t>(nodes_.size());
    while (begin < end) {
      const auto byte = static_cast<unsigned char>(entries[begin].first[depth]);
      size_t next = begin;
      while (next < end &&
             static_cast<unsigned char>(entries[next].first[depth]) == byte) {
        ++next;
      }
      if (node == 0) first_[byte] = static_cast<uint32_t>(nodes_.size());
      ++nodes_[node].num_children;
      nodes_.emplace_back();
      nodes_.back().byte = byte;
      ranges.push_back({begin, next, depth + 1});
      begin = next;
    }
  }
}

uint32_t ByteTrie::ChildOf(uint32_t node, char byte) const {
  const auto wanted = static_cast<unsigned char>(byte);
  const Node* const begin = nodes_.data() + nodes_[node].children;
  const Node* const end = begin + nodes_[node].num_children;
  const Node* const found = std::lower_bound(
      begin, end, wanted, [](const Node& child, unsigned char value) {
        return child.byte < value;
      });
  return found != end && found->byte == wanted
             ? static_cast<uint32_t>(found - nodes_.data())
             : 0;
}

}  // namespace firth
