// Sentences are generated word by word. A beam search is in text_search.cc.

#include "nn/decoding.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/rng.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// Returns the penalty for ending after so many words: gamma |X| / |Y|.
double EndPenalty(const GenerateOptions& options, size_t words) {
  return options.end_normalization * options.expected_length /
         static_cast<double>(words + 1);
}

// Returns the word that follows so many words, given ln p of all words.
uint32_t DrawWord(const GenerateOptions& options, absl::Span<const float> row,
                  uint32_t end, size_t words, uint64_t key) {
  const auto score = [&](uint32_t word) {
    return row[word] - (word == end ? EndPenalty(options, words) : 0);
  };
  std::vector<uint32_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  const size_t most =
      options.temperature == 0 ? 1
      : options.top_k == 0
          ? order.size()
          : std::min(order.size(), static_cast<size_t>(options.top_k));
  const auto likelier = [&](uint32_t a, uint32_t b) {
    return score(a) != score(b) ? score(a) > score(b) : a < b;
  };
  if (most == order.size()) {  // a heap would take three times as long
    std::sort(order.begin(), order.end(), likelier);
  } else {
    std::partial_sort(order.begin(),
                      order.begin() + static_cast<ptrdiff_t>(most), order.end(),
                      likelier);
  }
  if (most == 1) return order[0];
  std::vector<double> sums;
  for (size_t k = 0; k < most; ++k) {
    sums.push_back(
        (k == 0 ? 0 : sums.back()) +
        std::exp((score(order[k]) - score(order[0])) / options.temperature));
  }
  // The last word of the nucleus reaches the fraction top_p.
  const double nucleus =
      *std::lower_bound(sums.begin(), sums.end(), options.top_p * sums.back());
  const double drawn = Rng(key).NextFloat() * nucleus;
  const auto found = std::upper_bound(sums.begin(), sums.end(), drawn);
  return order[std::min<size_t>(found - sums.begin(), most - 1)];
}

}  // namespace

absl::StatusOr<Hypothesis> DrawSentence(NextWords& next,
                                        const GenerateOptions& options,
                                        uint64_t key, const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(ConstView<float> log_probabilities, next.Start());
  Hypothesis sentence;
  for (int i = 0; i <= options.max_tokens; ++i) {
    if (hooks.StopRequested()) return absl::CancelledError("interrupted");
    const float* const row = log_probabilities.Row(0);
    const uint32_t word =
        DrawWord(options, {row, log_probabilities.cols()}, next.end(),
                 sentence.words.size(), CombineKeys(key, i));
    // After the last word that is allowed, only the end may follow.
    if (i == options.max_tokens && word != next.end()) break;
    sentence.log_probability += row[word];
    sentence.score += row[word];
    sentence.ended = word == next.end();
    if (sentence.ended) {
      sentence.score -= EndPenalty(options, sentence.words.size());
      break;
    }
    sentence.words.push_back(word);
    FIRTH_ASSIGN_OR_RETURN(log_probabilities, next.Read({0}, {word}));
  }
  return sentence;
}

absl::StatusOr<std::vector<Hypothesis>> SearchSentences(
    NextWords& next, const GenerateOptions& options, const Hooks& hooks) {
  const BeamOptions search{.beam = static_cast<size_t>(options.beam),
                           .length_normalization = options.length_normalization,
                           .end_normalization = options.end_normalization};
  const SearchedText text{
      .length = static_cast<double>(options.expected_length),
      .max_tokens = static_cast<size_t>(options.max_tokens)};
  FIRTH_ASSIGN_OR_RETURN(auto found, SearchTexts(next, {text}, search, hooks));
  return std::move(found[0]);
}

}  // namespace firth
