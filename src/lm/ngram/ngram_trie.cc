#include "lm/ngram/ngram_trie.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace firth {
namespace {

constexpr uint32_t kFew = 8;

// Returns the position of the word among the ascending words [begin, end), or
// NgramTrie::kNone. Most contexts have few words. Otherwise, no branch depends
// on the words.
uint32_t Bisect(const uint32_t* words, uint32_t begin, uint32_t end,
                uint32_t word) {
  end = std::min(end, begin + word + 1);  // Id w is at most at position w.
  if (end - begin <= kFew) {
    for (; begin < end; ++begin) {
      if (words[begin] == word) return begin;
    }
    return NgramTrie::kNone;
  }
  for (uint32_t size = end - begin; size > 1;) {
    const uint32_t half = size / 2;
    begin = words[begin + half] <= word ? begin + half : begin;
    size -= half;
  }
  return words[begin] == word ? begin : NgramTrie::kNone;
}

absl::Status Damaged(absl::string_view array, uint64_t position,
                     absl::string_view expected) {
  return absl::DataLossError(absl::StrCat("array \"", array, "\", value ",
                                          position, ": expected ", expected));
}

absl::Status CheckSizes(const NgramArrays& arrays) {
  const std::vector<uint32_t>& begins = arrays.begins;
  const size_t order = begins.size() < 2 ? 0 : begins.size() - 2;
  if (order < 1 || order > kMostNgramOrder || begins[0] != 0 ||
      begins[1] != 1 || !std::is_sorted(begins.begin(), begins.end())) {
    return absl::DataLossError("expected the numbers of n-grams of each order");
  }
  const size_t nodes = begins.back();
  const size_t inner = begins[order];
  if (arrays.words.size() != nodes ||
      arrays.log_probabilities.size() != nodes ||
      arrays.children.size() != inner + 1 || arrays.suffixes.size() != inner ||
      arrays.backoffs.size() != inner) {
    return absl::DataLossError(
        absl::StrCat("expected arrays of ", nodes, " and ", inner, " nodes"));
  }
  return absl::OkStatus();
}

absl::Status CheckChildren(const NgramArrays& arrays) {
  const absl::Span<const uint32_t> children = arrays.children;
  for (size_t n = 0; n + 1 < arrays.begins.size(); ++n) {
    if (children[arrays.begins[n]] != arrays.begins[n + 1]) {
      return Damaged("children", arrays.begins[n], "the next order");
    }
  }
  const uint32_t vocab_size = arrays.begins[2] - 1;
  for (size_t node = 0; node < arrays.suffixes.size(); ++node) {
    if (children[node + 1] < children[node] ||
        children[node + 1] > arrays.words.size()) {
      return Damaged("children", node + 1, "ascending numbers");
    }
    for (uint32_t i = children[node]; i < children[node + 1]; ++i) {
      const bool ascends =
          i == children[node] || arrays.words[i] > arrays.words[i - 1];
      if (ascends && arrays.words[i] < vocab_size &&
          (node != 0 || arrays.words[i] == i - 1)) {
        continue;
      }
      return Damaged("words", i, "ascending words of the vocabulary");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckSuffixes(const NgramArrays& arrays) {
  for (size_t n = 0; n + 2 < arrays.begins.size(); ++n) {
    const uint32_t limit = std::max<uint32_t>(arrays.begins[n], 1);
    for (uint32_t node = arrays.begins[n]; node < arrays.begins[n + 1];
         ++node) {
      if (arrays.suffixes[node] < limit) continue;
      return Damaged("suffixes", node, "a shorter n-gram");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckValues(const NgramArrays& arrays) {
  for (size_t i = 1; i < arrays.log_probabilities.size(); ++i) {
    const float value = arrays.log_probabilities[i];
    if (value >= -kMostLog10 && value <= 0) continue;
    return Damaged("log_probabilities", i, "a number from -10000 to 0");
  }
  for (size_t i = 0; i < arrays.backoffs.size(); ++i) {
    if (std::abs(arrays.backoffs[i]) <= kMostLog10) continue;
    return Damaged("backoffs", i, "a number from -10000 to 10000");
  }
  return absl::OkStatus();
}

}  // namespace

NgramTrie::NgramTrie(NgramArrays arrays, bool is_additive,
                     std::shared_ptr<const void> owner)
    : arrays_(std::move(arrays)),
      num_inner_(static_cast<uint32_t>(arrays_.suffixes.size())),
      is_additive_(is_additive),
      uniform_(-std::log10(static_cast<double>(vocab_size() - 1))),
      owner_(std::move(owner)) {}

absl::Status NgramTrie::Check(const NgramArrays& arrays) {
  absl::Status status = CheckSizes(arrays);
  if (status.ok()) status = CheckChildren(arrays);
  if (status.ok()) status = CheckSuffixes(arrays);
  if (status.ok()) status = CheckValues(arrays);
  return status;
}

int NgramTrie::OrderOf(uint32_t node) const {
  const auto after =
      std::upper_bound(arrays_.begins.begin(), arrays_.begins.end(), node);
  return static_cast<int>(after - arrays_.begins.begin()) - 1;
}

uint32_t NgramTrie::Find(uint32_t node, uint32_t word) const {
  if (node == kRoot) return NodeOf(word);
  return Bisect(arrays_.words.data(), arrays_.children[node],
                arrays_.children[node + 1], word);
}

uint32_t NgramTrie::ContextAfter(uint32_t found, uint32_t context,
                                 uint32_t word) const {
  while (!IsInner(found)) {
    if (context == kRoot) return kRoot;  // The order is 1.
    context = arrays_.suffixes[context];
    found = Find(context, word);
  }
  return found;
}

NgramTrie::Step NgramTrie::Read(uint32_t context, uint32_t word) const {
  double weight = 0;
  uint32_t at = context;
  uint32_t found = Find(at, word);
  while (found == kNone) {
    weight += arrays_.backoffs[at];
    if (IsUniformAfter(at)) {
      return {weight + uniform_, ContextAfter(kNone, at, word), kNone};
    }
    at = arrays_.suffixes[at];
    found = Find(at, word);
  }
  return {weight + arrays_.log_probabilities[found],
          ContextAfter(found, at, word), found};
}

void NgramTrie::LogProbabilities(uint32_t context, float* row) const {
  struct Part {
    uint32_t node;
    double weight;  // of its children
  };
  std::array<Part, kMostNgramOrder> parts;
  size_t count = 0;
  double weight = 0;
  for (uint32_t at = context;; at = arrays_.suffixes[at]) {
    parts[count++] = {at, weight};
    if (at == kRoot) break;
    weight += arrays_.backoffs[at];
    if (!IsUniformAfter(at)) continue;
    std::fill_n(row, vocab_size(),
                static_cast<float>((weight + uniform_) * M_LN10));
    break;
  }
  while (count > 0) {
    const Part& part = parts[--count];
    const uint32_t end = arrays_.children[part.node + 1];
    for (uint32_t i = arrays_.children[part.node]; i < end; ++i) {
      row[arrays_.words[i]] = static_cast<float>(
          (part.weight + arrays_.log_probabilities[i]) * M_LN10);
    }
  }
}

NgramTrieBuilder::NgramTrieBuilder(int order, size_t vocab_size)
    : order_(order), begins_({0, 1}), words_({0}), children_({1}) {
  FIRTH_CHECK(order >= 1 && order <= kMostNgramOrder);
  FIRTH_CHECK(vocab_size < NgramTrie::kNone - 1);
  for (size_t w = 0; w < vocab_size; ++w) {
    words_.push_back(static_cast<uint32_t>(w));
  }
  log_probabilities_.resize(words_.size());
  const size_t inner = order == 1 ? 1 : words_.size();
  suffixes_.resize(inner);
  backoffs_.resize(inner);
  FinishOrder();
}

void NgramTrieBuilder::StartOrder(uint64_t count) {
  words_.reserve(words_.size() + count);
  log_probabilities_.reserve(words_.capacity());
  if (AtTop()) return;
  suffixes_.reserve(words_.capacity());
  backoffs_.reserve(words_.capacity());
  children_.reserve(words_.capacity() + 1);
}

absl::StatusOr<uint32_t> NgramTrieBuilder::Add(uint32_t parent, uint32_t word,
                                               uint32_t suffix) {
  const uint32_t node = size();
  if (node == NgramTrie::kNone - 1) {
    return absl::ResourceExhaustedError(
        "more than 4,294,967,294 n-grams; drop rare ones");
  }
  while (children_.size() <= parent) children_.push_back(node);
  if (!AtTop()) {
    suffixes_.push_back(suffix);
    backoffs_.push_back(0);
  }
  words_.push_back(word);
  log_probabilities_.push_back(0);
  return node;
}

uint32_t NgramTrieBuilder::FindChild(uint32_t node, uint32_t word) const {
  if (node == NgramTrie::kRoot) return NgramTrie::NodeOf(word);
  return Bisect(words_.data(), children_[node], children_[node + 1], word);
}

uint32_t NgramTrieBuilder::FindContext(absl::Span<const uint32_t> words) {
  path_words_.resize(words.size(), NgramTrie::kNone);
  path_nodes_.resize(words.size(), NgramTrie::kNone);
  uint32_t node = NgramTrie::kRoot;
  bool is_same = true;
  for (size_t i = 0; i < words.size(); ++i) {
    is_same = is_same && path_words_[i] == words[i];
    if (!is_same) {
      path_words_[i] = words[i];
      path_nodes_[i] =
          node == NgramTrie::kNone ? node : FindChild(node, words[i]);
    }
    node = path_nodes_[i];
  }
  return node;
}

uint32_t NgramTrieBuilder::SuffixOf(uint32_t parent, uint32_t word) const {
  if (parent == NgramTrie::kRoot) return NgramTrie::kRoot;
  uint32_t suffix = suffixes_[parent];
  for (;;) {
    const uint32_t found = FindChild(suffix, word);
    if (found != NgramTrie::kNone) return found;
    suffix = suffixes_[suffix];
  }
}

void NgramTrieBuilder::FinishOrder() {
  while (children_.size() <= begins_.back()) children_.push_back(size());
  begins_.push_back(size());
}

NgramTrie NgramTrieBuilder::Finish(bool is_additive) && {
  auto owner = std::make_shared<const NgramTrieBuilder>(std::move(*this));
  return NgramTrie({.begins = owner->begins_,
                    .words = owner->words_,
                    .log_probabilities = owner->log_probabilities_,
                    .children = owner->children_,
                    .suffixes = owner->suffixes_,
                    .backoffs = owner->backoffs_},
                   is_additive, owner);
}

}  // namespace firth
