// NgramTrie: the n-grams of a counting model, with their probabilities.
//
// A node is an n-gram, and its children are the n-grams with one more word at
// the end. Node 0 is the root, the empty n-gram; node 1 + w is word w; the
// nodes of longer n-grams follow, order by order, sorted by their words. The
// children of a node are therefore neighbors, which are searched by bisection,
// and a few arrays are the whole trie:
//
//   words             the last word of the n-gram
//   log_probabilities log10 p of that word after the others
//   children          the first child. Those of node i end where the children
//                     of node i + 1 begin
//   suffixes          the longest n-gram in the trie that is a proper suffix
//   backoffs          log10 of the weight of the suffix
//
// The last three exist for all nodes below the maximum order. The probability
// of a word after a context follows from the recursion of backoff models (Katz
// 1987):
//
//   p(w | node) = p(child of node with w)              if there is one
//                 backoff(node) p(w | suffix of node)  otherwise
//
// A context that is not in the trie is replaced by its longest suffix that is.
// Reading a text is thus a walk through the trie, without looking up the same
// words twice.

#ifndef FIRTH_LM_NGRAM_NGRAM_TRIE_H_
#define FIRTH_LM_NGRAM_NGRAM_TRIE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace firth {

constexpr int kMostNgramOrder = 8;
// Maximum absolute value of log10 of a probability or weight in a file, so that
// sums are finite.
constexpr float kMostLog10 = 1e4F;

// The arrays of a trie, in memory that something else owns.
struct NgramArrays {
  // [order + 2] First node of each order, from 0 for the root to the number of
  // nodes.
  std::vector<uint32_t> begins;
  absl::Span<const uint32_t> words;           // [nodes]
  absl::Span<const float> log_probabilities;  // [nodes]
  absl::Span<const uint32_t> children;        // [inner nodes + 1]
  absl::Span<const uint32_t> suffixes;        // [inner nodes]
  absl::Span<const float> backoffs;           // [inner nodes]
};

// Immutable. Thread-safe.
class NgramTrie {
 public:
  static constexpr uint32_t kRoot = 0;
  static constexpr uint32_t kNone = UINT32_MAX;  // not a node

  // `owner` keeps the arrays alive. If `is_additive`, words that do not follow
  // a context with children have the same probability, as in additive
  // smoothing: the weight divided by the number of words without <S>.
  NgramTrie(NgramArrays arrays, bool is_additive,
            std::shared_ptr<const void> owner);

  // Checks arrays that come from a file: sizes, bounds, sorted words, suffixes
  // of lower order, finite values. All other methods rely on it. Errors:
  // DataLoss, which names the array.
  static absl::Status Check(const NgramArrays& arrays);

  int order() const { return static_cast<int>(arrays_.begins.size()) - 2; }
  size_t vocab_size() const { return arrays_.begins[2] - 1; }
  uint32_t size() const { return arrays_.begins.back(); }
  const NgramArrays& arrays() const { return arrays_; }
  bool is_additive() const { return is_additive_; }
  int OrderOf(uint32_t node) const;

  static constexpr uint32_t NodeOf(uint32_t word) { return 1 + word; }
  bool IsInner(uint32_t node) const { return node < num_inner_; }
  // Returns the child of an inner node with this word, or kNone.
  uint32_t Find(uint32_t node, uint32_t word) const;

  struct Step {
    double log_probability;  // log10 p of the word
    uint32_t context;        // for the next word
    uint32_t node;           // the n-gram that gave the probability, or kNone
  };
  // Reads a word after a context, which is an inner node.
  Step Read(uint32_t context, uint32_t word) const;

  // Sets row[w] to ln p of each word w after a context: [vocab_size].
  void LogProbabilities(uint32_t context, float* row) const;

 private:
  // Returns whether other words than the children of a context are uniform.
  bool IsUniformAfter(uint32_t context) const {
    return is_additive_ &&
           arrays_.children[context] < arrays_.children[context + 1];
  }
  // Returns the longest context that ends with `word`. `found` is the child of
  // `context` with this word, or kNone.
  uint32_t ContextAfter(uint32_t found, uint32_t context, uint32_t word) const;

  NgramArrays arrays_;
  uint32_t num_inner_;
  bool is_additive_;
  double uniform_;  // log10 p of each word
  std::shared_ptr<const void> owner_;
};

// Makes a trie, one order after another.
class NgramTrieBuilder {
 public:
  // Makes a trie with these words as unigrams. Their values are 0.
  NgramTrieBuilder(int order, size_t vocab_size);

  // Starts the n-grams of the next order, of which there will be about `count`.
  void StartOrder(uint64_t count);
  // Adds a child of `parent`, a node of the last order that was finished.
  // Parents must ascend, and so must the words of a parent. `suffix` is
  // SuffixOf(parent, word), which the maximum order does not need. Returns the
  // node. Errors: ResourceExhausted, there
  // are too many nodes.
  absl::StatusOr<uint32_t> Add(uint32_t parent, uint32_t word, uint32_t suffix);
  // Returns the node of the words, one order below the one that was started, or
  // kNone. Fast if the first words are those of the last call.
  uint32_t FindContext(absl::Span<const uint32_t> words);
  // Returns the suffix of the child of `parent` with this word, which need not
  // exist.
  uint32_t SuffixOf(uint32_t parent, uint32_t word) const;
  // Finishes the last order that was started.
  void FinishOrder();

  float& log_probability(uint32_t node) { return log_probabilities_[node]; }
  float& backoff(uint32_t node) { return backoffs_[node]; }
  bool IsInner(uint32_t node) const { return node < backoffs_.size(); }
  uint32_t size() const { return static_cast<uint32_t>(words_.size()); }
  uint32_t word(uint32_t node) const { return words_[node]; }
  int order() const { return order_; }

  NgramTrie Finish(bool is_additive) &&;

 private:
  uint32_t FindChild(uint32_t node, uint32_t word) const;
  bool AtTop() const { return static_cast<int>(begins_.size()) == order_ + 1; }

  int order_;
  std::vector<uint32_t> begins_;
  std::vector<uint32_t> words_;
  std::vector<float> log_probabilities_;
  std::vector<uint32_t> children_;
  std::vector<uint32_t> suffixes_;
  std::vector<float> backoffs_;
  // The words of the last context, and the nodes of its beginnings.
  std::vector<uint32_t> path_words_;
  std::vector<uint32_t> path_nodes_;
};

}  // namespace firth

#endif  // FIRTH_LM_NGRAM_NGRAM_TRIE_H_
