#include "tag/hmm_lattice.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace firth {

TransitionTable::TransitionTable(const HmmModel& model)
    : width_(model.tags.size() + 1),
      most_(model.weights[2]),
      backoffs_(width_ * width_),
      begins_(width_ * width_),
      ends_(width_ * width_),
      tags_(model.trigrams.tags),
      trigrams_(model.trigrams.values) {
  const auto [l1, l2, l3] = model.weights;
  for (uint32_t b = 0; b < width_; ++b) {
    for (uint32_t c = 0; c < width_; ++c) {
      backoffs_[Pair(b, c)] = l1 * model.unigrams[c];
    }
    const double weight = b == model.boundary() ? l2 + l3 : l2;
    for (size_t i = model.bigrams.offsets[b]; i < model.bigrams.offsets[b + 1];
         ++i) {
      const size_t pair = Pair(b, model.bigrams.tags[i]);
      backoffs_[pair] += weight * model.bigrams.values[i];
      begins_[pair] = model.trigrams.offsets[i];
      ends_[pair] = model.trigrams.offsets[i + 1];
    }
  }
  for (double& trigram : trigrams_) trigram *= l3;
}

void HmmLattice::Clear() {
  begins_ = {0};
  tags_.clear();
  emissions_.clear();
  AddBoundary();
  AddBoundary();
}

void HmmLattice::Add(const TagCandidates& token) {
  FIRTH_CHECK(!token.tags.empty() && token.tags.size() <= kMostTagsOfWord);
  tags_.insert(tags_.end(), token.tags.begin(), token.tags.end());
  emissions_.insert(emissions_.end(), token.emissions.begin(),
                    token.emissions.end());
  begins_.push_back(tags_.size());
}

void HmmLattice::AddBoundary() {
  const uint32_t boundary = table_.boundary();
  const double emission = 1;
  Add({{&boundary, 1}, {&emission, 1}});
}

// Counts the states, once per sentence.
void HmmLattice::End() {
  if (tags_.back() == table_.boundary() && begins_.size() > 3) return;
  AddBoundary();
  states_ = {0, 1, 2};
  for (size_t i = 2; i <= last(); ++i) {
    states_.push_back(states_.back() + Size(i - 1) * Size(i));
  }
}

// Sets to_ to the sums over all beginnings, from those in from_.
void HmmLattice::Sum(size_t position) {
  const auto a = Tags(position - 1), b = Tags(position), c = Tags(position + 1);
  const double* const emissions = Emissions(position + 1);
  to_.resize(b.size() * c.size());
  double* to = to_.data();
  for (size_t j = 0; j < b.size(); ++j) {
    const double* const from = from_.data() + j;
    double begins = 0;
    for (size_t i = 0; i < a.size(); ++i) begins += from[i * b.size()];
    for (size_t k = 0; k < c.size(); ++k, ++to) {
      double sum = begins * table_.Backoff(table_.Pair(b[j], c[k]));
      for (size_t i = 0; i < a.size(); ++i) {
        const size_t entry = table_.FindTrigram(table_.Pair(a[i], b[j]), c[k]);
        sum += from[i * b.size()] * table_.Trigram(entry);
      }
      *to = sum * emissions[k];
    }
  }
}

// Sets to_ to the probabilities of the best beginnings, and *back to their
// candidates before those of `position`.
void HmmLattice::Maximize(size_t position, uint8_t* back) {
  const auto a = Tags(position - 1), b = Tags(position), c = Tags(position + 1);
  const double* const emissions = Emissions(position + 1);
  to_.resize(b.size() * c.size());
  double* to = to_.data();
  for (size_t j = 0; j < b.size(); ++j) {
    const double* const from = from_.data() + j;
    size_t likely = 0;
    for (size_t i = 1; i < a.size(); ++i) {
      if (from[i * b.size()] > from[likely * b.size()]) likely = i;
    }
    for (size_t k = 0; k < c.size(); ++k, ++to, ++back) {
      const double backoff = table_.Backoff(table_.Pair(b[j], c[k]));
      const auto with_trigram = [&](size_t i) {
        const size_t entry = table_.FindTrigram(table_.Pair(a[i], b[j]), c[k]);
        return from[i * b.size()] * (backoff + table_.Trigram(entry));
      };
      size_t best = likely;
      double most = with_trigram(likely);
      for (size_t i = 0; i < a.size(); ++i) {
        // Most trigrams are not looked up, since no value could be enough.
        if (from[i * b.size()] * (backoff + table_.most()) <= most) continue;
        const double value = with_trigram(i);
        if (value <= most) continue;
        most = value;
        best = i;
      }
      *to = most * emissions[k];
      *back = static_cast<uint8_t>(best);
    }
  }
}

const std::vector<uint32_t>& HmmLattice::BestTags(double* log_p) {
  End();
  back_.resize(states_.back());
  from_ = {1};
  double sum = 0;
  for (size_t position = 1; position < last(); ++position) {
    Maximize(position, back_.data() + states_[position + 1]);
    from_.swap(to_);
    const double scale = *std::max_element(from_.begin(), from_.end());
    for (double& value : from_) value /= scale;
    if (log_p != nullptr) sum += std::log(scale);
  }
  if (log_p != nullptr) *log_p = sum;
  // The last position has one candidate.
  size_t before = std::max_element(from_.begin(), from_.end()) - from_.begin();
  size_t at = 0;
  best_.resize(last() - 2);
  for (size_t position = last(); position > 2; --position) {
    best_[position - 3] = Tags(position - 1)[before];
    const size_t state = states_[position] + before * Size(position) + at;
    at = before;
    before = back_[state];
  }
  return best_;
}

double HmmLattice::Forward() {
  End();
  forward_.resize(states_.back());
  scales_.assign(last() + 1, 1);
  from_ = {1};
  std::fill_n(forward_.begin(), 2, 1);
  double log_p = 0;
  for (size_t position = 1; position < last(); ++position) {
    Sum(position);
    from_.swap(to_);
    double& scale = scales_[position + 1];
    scale = std::accumulate(from_.begin(), from_.end(), 0.0);
    for (double& value : from_) value /= scale;
    log_p += std::log(scale);
    std::copy(from_.begin(), from_.end(),
              forward_.begin() + static_cast<ptrdiff_t>(states_[position + 1]));
  }
  return log_p;
}

// With the scaled probabilities of the ends after `position` + 1 in from_,
// computes those after `position`.
template <class Expected>
void HmmLattice::StepBack(size_t position, Expected* expected) {
  const auto a = Tags(position - 1), b = Tags(position), c = Tags(position + 1);
  const double* const emissions = Emissions(position + 1);
  const double* const forward = forward_.data() + states_[position];
  to_.resize(a.size() * b.size());
  for (size_t j = 0; j < b.size(); ++j) {
    double* const ends = from_.data() + j * c.size();
    double begins = 0;
    for (size_t i = 0; i < a.size(); ++i) begins += forward[i * b.size() + j];
    double sum = 0;
    for (size_t k = 0; k < c.size(); ++k) {
      ends[k] *= emissions[k] / scales_[position + 1];
      const size_t pair = table_.Pair(b[j], c[k]);
      const double end = table_.Backoff(pair) * ends[k];
      sum += end;
      expected->Backoff(pair, begins * end);
    }
    double posterior = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      const size_t state = i * b.size() + j;
      double& to = to_[state];
      to = sum;
      for (size_t k = 0; k < c.size(); ++k) {
        const size_t entry = table_.FindTrigram(table_.Pair(a[i], b[j]), c[k]);
        if (entry == SparseRows::kNone) continue;
        const double end = table_.Trigram(entry) * ends[k];
        to += end;
        expected->Trigram(entry, forward[state] * end);
      }
      posterior += forward[state] * to;
    }
    posteriors_[begins_[position] + j] = posterior;
  }
  from_.swap(to_);
}

template <class Expected>
void HmmLattice::Backward(Expected* expected) {
  posteriors_.resize(tags_.size());
  from_.assign(Size(last() - 1), 1);
  for (size_t position = last() - 1; position > 0; --position) {
    StepBack(position, expected);
  }
}
template void HmmLattice::Backward(ExpectedTransitions*);
template void HmmLattice::Backward(NoExpectations*);

absl::Span<const double> HmmLattice::Posteriors(size_t token) const {
  return absl::MakeConstSpan(posteriors_)
      .subspan(begins_[token + 2], Size(token + 2));
}

double HmmLattice::Posterior(size_t token, uint32_t tag) const {
  const auto tags = Tags(token + 2);
  const auto at = std::lower_bound(tags.begin(), tags.end(), tag);
  return Posteriors(token)[at - tags.begin()];
}

}  // namespace firth
