// The tag sequences of a sentence under a hidden Markov model.
//
// A state is a pair of tags (a, b) of two neighboring tokens. Every pair (b, c)
// has the backoff probability l1 P(c) + l2 P(c | b), which does not depend on
// a; only the trigrams that occurred in training add l3 P(c | a, b) to it. A
// step therefore takes one sum or maximum over a, and then corrects it by the
// trigrams that exist, which is exact and costs much less than all triples.
//
// Probabilities are scaled at each position, so sentences of any length do not
// underflow and need no logarithms.

#ifndef FIRTH_TAG_HMM_LATTICE_H_
#define FIRTH_TAG_HMM_LATTICE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tag/hmm_model.h"

namespace firth {

// The transitions of a model, prepared for many sentences.
class TransitionTable {
 public:
  explicit TransitionTable(const HmmModel& model);

  uint32_t boundary() const { return static_cast<uint32_t>(width_ - 1); }
  // Returns the index of a pair of tags in arrays [pairs()].
  size_t Pair(uint32_t b, uint32_t c) const { return b * width_ + c; }
  size_t pairs() const { return backoffs_.size(); }
  double Backoff(size_t pair) const { return backoffs_[pair]; }

  // Returns l3, which no trigram exceeds.
  double most() const { return most_; }
  // Returns the index in HmmModel::trigrams of the trigram of this pair and c,
  // or kNone.
  size_t FindTrigram(size_t pair, uint32_t c) const {
    const uint32_t* const begin = tags_.data() + begins_[pair];
    const uint32_t* const end = tags_.data() + ends_[pair];
    const uint32_t* const at = std::lower_bound(begin, end, c);
    return at != end && *at == c ? at - tags_.data() : SparseRows::kNone;
  }
  // Returns l3 P(c | a, b) of a trigram, 0 for kNone.
  double Trigram(size_t entry) const {
    return entry == SparseRows::kNone ? 0 : trigrams_[entry];
  }

 private:
  size_t width_;
  double most_;
  std::vector<double> backoffs_;  // [pairs]
  std::vector<uint32_t> begins_;  // [pairs] of the trigrams of a pair
  std::vector<uint32_t> ends_;    // [pairs]
  std::vector<uint32_t> tags_;    // of trigrams
  std::vector<double> trigrams_;  // l3 P(c | a, b)
};

// Expected numbers of events, which the backward pass adds up.
struct ExpectedTransitions {
  explicit ExpectedTransitions(const TransitionTable& table, size_t trigrams)
      : backoffs(table.pairs()), trigrams(trigrams) {}

  void Backoff(size_t pair, double count) { backoffs[pair] += count; }
  void Trigram(size_t entry, double count) { trigrams[entry] += count; }

  std::vector<double> backoffs;  // [pairs] events explained by the backoff
  std::vector<double> trigrams;  // [trigrams] those explained by the trigram
};

// Expects nothing.
struct NoExpectations {
  void Backoff(size_t, double) {}
  void Trigram(size_t, double) {}
};

// Used for one sentence after another, so that memory is allocated once.
class HmmLattice {
 public:
  // Borrows the table.
  explicit HmmLattice(const TransitionTable& table) : table_(table) {}

  // Starts an empty sentence.
  void Clear();
  // Appends a token, which must have 1 to kMostTagsOfWord candidates. Copies
  // them.
  void Add(const TagCandidates& token);

  // Returns the most probable tags (Viterbi 1967), which are valid until the
  // next call. Sets *log_p to ln p(tokens, tags) if it is not null.
  const std::vector<uint32_t>& BestTags(double* log_p = nullptr);

  // Returns ln p(tokens), the sum over all tag sequences.
  double Forward();
  // Computes the posteriors and adds the expected numbers of transitions to
  // *expected. Must follow Forward().
  template <class Expected>
  void Backward(Expected* expected);
  // Returns the posterior probability of each candidate of a token.
  absl::Span<const double> Posteriors(size_t token) const;
  // Returns the posterior probability of one candidate.
  double Posterior(size_t token, uint32_t tag) const;

 private:
  // Position 0 and 1 are boundaries, the tokens follow, and then a boundary.
  absl::Span<const uint32_t> Tags(size_t position) const {
    return absl::MakeConstSpan(tags_).subspan(begins_[position],
                                              Size(position));
  }
  const double* Emissions(size_t position) const {
    return emissions_.data() + begins_[position];
  }
  size_t Size(size_t position) const {
    return begins_[position + 1] - begins_[position];
  }
  size_t last() const { return begins_.size() - 2; }
  void AddBoundary();
  void End();
  void Sum(size_t position);
  void Maximize(size_t position, uint8_t* back);
  template <class Expected>
  void StepBack(size_t position, Expected* expected);

  const TransitionTable& table_;
  std::vector<size_t> begins_;  // [positions + 1] in the next two
  std::vector<uint32_t> tags_;  // candidates of all positions
  std::vector<double> emissions_;
  std::vector<double> posteriors_;
  // State (i, j) at a position, with candidate i before it and its candidate j,
  // is at states_[position] + i * Size(position) + j.
  std::vector<size_t> states_;   // [positions + 1]
  std::vector<double> forward_;  // p of the beginning; the sum is 1
  std::vector<double> scales_;   // [positions]
  std::vector<uint8_t> back_;    // best candidate two positions before
  std::vector<double> from_;     // of the states of one position
  std::vector<double> to_;       // of the states of the next one
  std::vector<uint32_t> best_;
};

}  // namespace firth

#endif  // FIRTH_TAG_HMM_LATTICE_H_
