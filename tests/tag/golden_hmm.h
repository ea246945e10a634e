// The hidden Markov model of the golden data, in which each state depends on
// the one before it, and sentences have no end.

#ifndef FIRTH_TESTS_TAG_GOLDEN_HMM_H_
#define FIRTH_TESTS_TAG_GOLDEN_HMM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/golden_data.h"
#include "tag/plain_hmm.h"

namespace firth {

// Every state is followed by the boundary with a probability of 1, so that the
// end of a sentence changes nothing.
inline HmmModel GoldenHmm(const nn::GoldenFile& golden) {
  const auto initial = golden.Read<double>("initial.f64");
  const auto transition = golden.Read<double>("transition.f64");
  const auto emission = golden.Read<double>("emission.f64");
  HmmModel model;
  model.weights = {0, 1, 0};
  const auto states = static_cast<uint32_t>(transition.rows());
  model.unigrams.assign(states + 1, 1.0 / (states + 1));
  for (uint32_t b = 0; b <= states; ++b) {
    model.tags.resize(states, "t");
    for (uint32_t c = 0; c < states; ++c) {
      model.bigrams.tags.push_back(c);
      model.bigrams.values.push_back(b < states ? transition.Row(b)[c]
                                                : initial.data()[c]);
    }
    if (b < states) {
      model.bigrams.tags.push_back(states);
      model.bigrams.values.push_back(1);
    }
    model.bigrams.FinishRow();
  }
  model.trigrams.offsets.assign(model.bigrams.values.size() + 1, 0);
  model.words = TestWords("w", emission.cols());
  for (size_t word = 0; word < emission.cols(); ++word) {
    for (uint32_t tag = 0; tag < states; ++tag) {
      model.emissions.tags.push_back(tag);
      model.emissions.values.push_back(emission.Row(tag)[word]);
    }
    model.emissions.FinishRow();
  }
  return model;
}

inline std::vector<std::vector<size_t>> GoldenSentences(
    const nn::GoldenFile& golden) {
  const auto observations = golden.Read<double>("observations");
  std::vector<std::vector<size_t>> sentences;
  for (const size_t length : golden.ReadSizes("lengths")) {
    const double* const row = observations.Row(sentences.size());
    sentences.emplace_back(row, row + length);
  }
  return sentences;
}

}  // namespace firth

#endif  // FIRTH_TESTS_TAG_GOLDEN_HMM_H_
