// A hidden Markov model with random probabilities, and the definition of its
// probabilities over all tag sequences of a sentence.

#ifndef FIRTH_TESTS_TAG_PLAIN_HMM_H_
#define FIRTH_TESTS_TAG_PLAIN_HMM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "tag/hmm_model.h"

namespace firth {

// Adds a row with some of the tags below `num_tags`, whose probabilities sum to
// 1. A row that may be sparse lacks about half of the tags, but never all.
inline void AddRandomRow(uint32_t num_tags, Rng* rng, SparseRows* rows) {
  const uint32_t kept = rng->Below(num_tags);
  double sum = 0;
  const size_t begin = rows->values.size();
  for (uint32_t tag = 0; tag < num_tags; ++tag) {
    if (tag != kept && rng->Below(2) == 0) continue;
    rows->tags.push_back(tag);
    rows->values.push_back(1 + rng->Below(1000));
    sum += rows->values.back();
  }
  for (size_t i = begin; i < rows->values.size(); ++i) rows->values[i] /= sum;
  rows->FinishRow();
}

inline Vocabulary TestWords(const std::string& prefix, size_t count) {
  std::vector<std::string> words;
  for (size_t i = 0; i < count; ++i) words.push_back(absl::StrCat(prefix, i));
  const std::vector<absl::string_view> views(words.begin(), words.end());
  return *Vocabulary::Create(views, {});
}

// Tags t0, t1, ..., and words w0, w1, ...
inline HmmModel RandomHmm(uint32_t num_tags, size_t num_words, uint64_t seed) {
  Rng rng(seed);
  HmmModel model;
  for (uint32_t tag = 0; tag < num_tags; ++tag) {
    model.tags.push_back(absl::StrCat("t", tag));
  }
  model.weights = {0.2, 0.3, 0.5};
  double sum = 0;
  for (uint32_t tag = 0; tag <= num_tags; ++tag) {
    model.unigrams.push_back(1 + rng.Below(100));
    sum += model.unigrams.back();
  }
  for (double& unigram : model.unigrams) unigram /= sum;
  for (uint32_t b = 0; b <= num_tags; ++b) {
    // No sentence is empty.
    AddRandomRow(b == num_tags ? num_tags : num_tags + 1, &rng, &model.bigrams);
  }
  for (const uint32_t b : model.bigrams.tags) {
    if (b < num_tags && rng.Below(4) > 0) {
      AddRandomRow(num_tags + 1, &rng, &model.trigrams);
    } else {
      model.trigrams.FinishRow();
    }
  }
  model.words = TestWords("w", num_words);
  for (size_t word = 0; word < num_words; ++word) {
    AddRandomRow(num_tags, &rng, &model.emissions);
  }
  NormalizeTags(&model.emissions);
  const absl::string_view endings[] = {"a", "xa"};
  model.endings = *Vocabulary::Create(endings, {});
  for (int i = 0; i < 2; ++i) AddRandomRow(num_tags, &rng, &model.ending_tags);
  return model;
}

inline double ValueOf(const SparseRows& rows, size_t row, uint32_t tag) {
  const size_t at = rows.Find(row, tag);
  return at == SparseRows::kNone ? 0 : rows.values[at];
}

// l1 P(c), l2 P(c | b) and l3 P(c | a, b), or (l2 + l3) P(c | b) for the first
// tag.
struct PlainTransition {
  double unigram, bigram, trigram;
  double sum() const { return unigram + bigram + trigram; }
};
inline PlainTransition TransitionOf(const HmmModel& model, uint32_t a,
                                    uint32_t b, uint32_t c) {
  const auto [l1, l2, l3] = model.weights;
  const bool first = b == model.boundary();
  PlainTransition p = {l1 * model.unigrams[c],
                       (first ? l2 + l3 : l2) * ValueOf(model.bigrams, b, c),
                       0};
  const size_t ab = model.bigrams.Find(a, b);
  if (!first && ab != SparseRows::kNone) {
    p.trigram = l3 * ValueOf(model.trigrams, ab, c);
  }
  return p;
}

// Calls visit(tags, p) with each tag sequence of a sentence and its joint
// probability with the words.
inline void ForEachTagSequence(
    const HmmModel& model, const std::vector<size_t>& words,
    absl::FunctionRef<void(const std::vector<uint32_t>&, double)> visit) {
  const uint32_t boundary = model.boundary();
  std::vector<uint32_t> tags(words.size(), 0);
  while (true) {
    double p = 1;
    uint32_t a = boundary, b = boundary;
    for (size_t i = 0; i <= words.size(); ++i) {
      const uint32_t c = i < words.size() ? tags[i] : boundary;
      p *= TransitionOf(model, a, b, c).sum();
      if (i < words.size()) p *= ValueOf(model.emissions, words[i], c);
      a = std::exchange(b, c);
    }
    visit(tags, p);
    size_t i = 0;
    while (i < tags.size() && ++tags[i] == boundary) tags[i++] = 0;
    if (i == tags.size()) return;
  }
}

}  // namespace firth

#endif  // FIRTH_TESTS_TAG_PLAIN_HMM_H_
