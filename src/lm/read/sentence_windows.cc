#include "lm/read/sentence_windows.h"

#include <algorithm>
#include <variant>

namespace firth {
namespace {}  // namespace

size_t MostTokens(const LanguageModelOptions& options) {
  const auto* transformer = std::get_if<nn::TransformerLayers>(&options.layers);
  if (transformer == nullptr ||
      transformer->positions == PositionKind::kRelative) {
    return 0;
  }
  const size_t marks = FirstStep(options) + 1;
  return std::max(transformer->context, marks + 1) - marks;
}

SentenceWindows::SentenceWindows(absl::Span<const Sentence> sentences,
                                 size_t most, bool causal) {
  for (const Sentence& sentence : sentences) {
    AddSentence(sentence, most, causal);
    tokens_.push_back(sentence.size());
  }
}

void SentenceWindows::AddSentence(const Sentence& sentence, size_t most,
                                  bool causal) {
  const size_t size = sentence.size();
  if (most == 0) most = size;
  const size_t step = std::max<size_t>(1, most / 2);
  size_t taken = 0;  // tokens of previous windows
  for (size_t begin = 0;; begin += step) {
    // The last window also has full length.
    const bool last = begin + most >= size;
    if (last) begin = size - std::min(size, most);
    const size_t end = std::min(size, begin + most);
    // The vectors after `stop` are taken from the next window.
    const size_t next = std::min(begin + step, size - std::min(size, most));
    const size_t stop = last ? size : causal ? end : (next + end) / 2;
    windows_.emplace_back(sentence.begin() + static_cast<ptrdiff_t>(begin),
                          sentence.begin() + static_cast<ptrdiff_t>(end));
    parts_.push_back({tokens_.size(), taken, taken - begin, stop - begin});
    taken = stop;
    if (last) return;
  }
}

std::vector<SentenceWindows::Place> SentenceWindows::Places() const {
  std::vector<Place> places;
  for (size_t w = 0; w < parts_.size(); ++w) {
    for (size_t token = parts_[w].begin; token < parts_[w].end; ++token) {
      places.push_back({w, token});
    }
  }
  return places;
}

std::vector<TokenVectors> SentenceWindows::Join(
    std::vector<TokenVectors> vectors) const {
  if (vectors.size() == tokens_.size()) return vectors;  // no sentence was cut
  std::vector<TokenVectors> joined(tokens_.size());
  for (size_t w = 0; w < vectors.size(); ++w) {
    const Part& part = parts_[w];
    const TokenVectors& from = vectors[w];
    TokenVectors& to = joined[part.sentence];
    if (to.values.empty()) {
      to = {from.layers, tokens_[part.sentence], from.dim, {}};
      to.values.resize(to.layers * to.tokens * to.dim);
    }
    for (size_t layer = 0; layer < from.layers; ++layer) {
      for (size_t token = part.begin; token < part.end; ++token) {
        const auto vector = from.Vector(layer, token);
        const size_t place = part.first + token - part.begin;
        std::copy(vector.begin(), vector.end(),
                  to.values.data() + (layer * to.tokens + place) * to.dim);
      }
    }
  }
  return joined;
}

}  // namespace firth
