// A trie of texts, which finds all of them that begin at a position of another
// text.

#ifndef FIRTH_TOKENIZERS_BYTE_TRIE_H_
#define FIRTH_TOKENIZERS_BYTE_TRIE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace firth {

// Immutable.
class ByteTrie {
 public:
  // The texts with their values. Empty texts are left out. Of equal texts, the
  // last one counts.
  explicit ByteTrie(std::vector<std::pair<std::string, uint32_t>> entries = {});

  bool empty() const { return nodes_.size() <= 1; }

  // Returns whether some text begins with this byte.
  bool Begins(char byte) const {
    return first_[static_cast<unsigned char>(byte)] != 0;
  }

  // Calls visit(length, value) for the entries at the start of `text`, from the
  // shortest to the longest.
  template <class Visit>
  void ForEachPrefix(absl::string_view text, const Visit& visit) const {
    if (text.empty()) return;
    uint32_t node = first_[static_cast<unsigned char>(text[0])];
    for (size_t length = 1; node != 0; ++length) {
      if (nodes_[node].value != kNoValue) visit(length, nodes_[node].value);
      if (length == text.size()) return;
      node = ChildOf(node, text[length]);
    }
  }

 private:
  static constexpr uint32_t kNoValue = 0xFFFFFFFFu;

  // The children of a node are consecutive and sorted by their bytes.
  struct Node {
    uint32_t children = 0;
    uint16_t num_children = 0;
    unsigned char byte = 0;
    uint32_t value = kNoValue;
  };

  // Returns 0 if there is no child for this byte.
  uint32_t ChildOf(uint32_t node, char byte) const;

  std::vector<Node> nodes_;               // The root is the first.
  std::array<uint32_t, 256> first_ = {};  // The children of the root.
};

}  // namespace firth

#endif  // FIRTH_TOKENIZERS_BYTE_TRIE_H_
