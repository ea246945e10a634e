#include "classify/label_prior.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace firth {

std::vector<float> LabelPrior(const ClassifierModel& model) {
  // Only models from fastText files have a prefix here.
  if (!model.features.options().label_prefix.empty()) return {};
  const std::vector<uint64_t>& counts = model.label_counts;
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double texts = model.several_labels && model.texts > 0
                           ? static_cast<double>(model.texts)
                           : all;
  if (!(texts > 0)) return {};
  std::vector<float> prior;
  prior.reserve(counts.size());
  for (const uint64_t count : counts) {
    prior.push_back(
        static_cast<float>(std::min(1.0, static_cast<double>(count) / texts)));
  }
  return prior;
}

}  // namespace firth
