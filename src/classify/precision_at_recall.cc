#include "classify/precision_at_recall.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace firth {

double PrecisionAtRecall(absl::Span<const float> probabilities,
                         const std::vector<bool>& gold, double recall) {
  std::vector<size_t> order(gold.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return probabilities[a] > probabilities[b];
  });
  const auto all =
      static_cast<double>(std::count(gold.begin(), gold.end(), true));
  double best = 0;
  double correct = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    correct += gold[order[i]] ? 1 : 0;
    // A threshold cannot separate equal probabilities.
    const bool is_tied = i + 1 < order.size() &&
                         probabilities[order[i + 1]] == probabilities[order[i]];
    if (is_tied || correct == 0 || correct < recall * all) continue;
    best = std::max(best, correct / static_cast<double>(i + 1));
  }
  return best;
}

}  // namespace firth
