// Sentences are generated word by word. A beam keeps the most probable
// beginnings. Each is extended by every word, the best extensions replace the
// beginnings, and the states of the model are reordered accordingly. Scores of
// finished sentences are normalized by length, as longer ones are less
// probable.

#include "nn/decoding.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "base/rng.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// A word that may follow hypothesis `parent`.
struct Extension {
  size_t parent;
  uint32_t word;
  double score;
  double log_probability;
};

// Returns the penalty for ending after so many words: gamma |X| / |Y|.
double EndPenalty(const GenerateOptions& options, size_t words) {
  return options.end_normalization * options.expected_length /
         static_cast<double>(words + 1);
}

// Returns the score by which sentences of different lengths are compared.
double Normalized(const GenerateOptions& options,
                  const Hypothesis& hypothesis) {
  const auto length =
      static_cast<double>(hypothesis.words.size() + hypothesis.ended);
  return hypothesis.score /
         std::pow((5 + length) / 6, options.length_normalization);
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

std::vector<Extension> BestExtensions(const GenerateOptions& options,
                                      const std::vector<Hypothesis>& hypotheses,
                                      ConstView<float> log_probabilities,
                                      uint32_t end) {
  std::vector<Extension> all;
  for (size_t h = 0; h < hypotheses.size(); ++h) {
    const float* const row = log_probabilities.Row(h);
    const Hypothesis& parent = hypotheses[h];
    for (uint32_t word = 0; word < log_probabilities.cols(); ++word) {
      const double penalty =
          word == end ? EndPenalty(options, parent.words.size()) : 0;
      all.push_back({h, word, parent.score + (row[word] - penalty),
                     parent.log_probability + row[word]});
    }
  }
  const size_t most = std::min(all.size(), static_cast<size_t>(options.beam));
  std::partial_sort(all.begin(), all.begin() + static_cast<ptrdiff_t>(most),
                    all.end(), [](const Extension& a, const Extension& b) {
                      if (a.score != b.score) return a.score > b.score;
                      return a.parent != b.parent ? a.parent < b.parent
                                                  : a.word < b.word;
                    });
  all.resize(most);
  return all;
}

}  // namespace

absl::StatusOr<Hypothesis> DrawSentence(NextWords& next,
                                        const GenerateOptions& options,
                                        uint64_t key, const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(ConstView<float> log_probabilities, next.Start());
  Hypothesis sentence;
  for (int i = 0; i < options.max_tokens; ++i) {
    if (hooks.StopRequested()) return absl::CancelledError("interrupted");
    const float* const row = log_probabilities.Row(0);
    const uint32_t word =
        DrawWord(options, {row, log_probabilities.cols()}, next.end(),
                 sentence.words.size(), CombineKeys(key, i));
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

// A hypothesis that ends leaves its place in the beam empty, so the search is
// over when all have ended. The greedy sentence takes part in the ranking,
// because its beginning may have left the beam.
absl::StatusOr<std::vector<Hypothesis>> SearchSentences(
    NextWords& next, const GenerateOptions& options, const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(ConstView<float> log_probabilities, next.Start());
  std::vector<Hypothesis> ended;
  std::vector<Hypothesis> open = {Hypothesis()};
  const auto beam = static_cast<size_t>(options.beam);
  for (int i = 0; i < options.max_tokens; ++i) {
    if (hooks.StopRequested()) return absl::CancelledError("interrupted");
    hooks.ReportWork(static_cast<uint64_t>(i),
                     static_cast<uint64_t>(options.max_tokens));
    std::vector<Hypothesis> longer;
    std::vector<size_t> parents;
    std::vector<uint32_t> words;
    for (const Extension& extension :
         BestExtensions(options, open, log_probabilities, next.end())) {
      if (std::isinf(extension.score)) continue;
      Hypothesis hypothesis = open[extension.parent];
      hypothesis.score = extension.score;
      hypothesis.log_probability = extension.log_probability;
      if (extension.word == next.end()) {
        hypothesis.ended = true;
        ended.push_back(std::move(hypothesis));
      } else {
        hypothesis.words.push_back(extension.word);
        longer.push_back(std::move(hypothesis));
        parents.push_back(extension.parent);
        words.push_back(extension.word);
      }
    }
    open = std::move(longer);
    if (open.empty() || ended.size() >= beam) break;
    FIRTH_ASSIGN_OR_RETURN(log_probabilities, next.Read(parents, words));
  }
  FIRTH_ASSIGN_OR_RETURN(Hypothesis greedy,
                         DrawSentence(next, options, /*key=*/0, hooks));
  std::vector<Hypothesis>& rivals = greedy.ended ? ended : open;
  if (absl::c_none_of(rivals, [&](const Hypothesis& rival) {
        return rival.words == greedy.words;
      })) {
    rivals.push_back(std::move(greedy));
  }
  std::vector<Hypothesis> best = std::move(ended.empty() ? open : ended);
  std::stable_sort(best.begin(), best.end(),
                   [&](const Hypothesis& a, const Hypothesis& b) {
                     return Normalized(options, a) > Normalized(options, b);
                   });
  if (best.size() > beam) best.resize(beam);
  return best;
}

}  // namespace firth
