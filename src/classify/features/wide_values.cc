#include "classify/features/wide_values.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace firth {
namespace {

// Returns 1 + ln count. Most counts are small.
float SublinearCount(uint32_t count) {
  static const auto& small = *new std::array<float, 64>([] {
    std::array<float, 64> values{};
    for (size_t i = 1; i < values.size(); ++i) {
      values[i] = 1 + std::log(static_cast<float>(i));
    }
    return values;
  }());
  return count < small.size() ? small[count]
                              : 1 + std::log(static_cast<float>(count));
}

void Normalize(absl::Span<WideFeature> values) {
  double square = 0;
  for (const WideFeature& feature : values) {
    square +=
        static_cast<double>(feature.value) * static_cast<double>(feature.value);
  }
  if (square <= 0) return;
  const auto inverse = static_cast<float>(1 / std::sqrt(square));
  for (WideFeature& feature : values) feature.value *= inverse;
}

}  // namespace

std::vector<uint32_t> CountTexts(const FeatureBags& bags,
                                 absl::Span<const uint32_t> texts,
                                 size_t rows) {
  std::vector<uint32_t> counts(rows);
  for (const uint32_t text : texts) {
    for (const FeatureCount feature : bags.Of(text)) ++counts[feature.row];
  }
  return counts;
}

std::vector<float> InverseFrequencies(absl::Span<const uint32_t> text_counts,
                                      size_t texts) {
  std::vector<float> idf(text_counts.size());
  const double all = 1 + static_cast<double>(texts);
  for (size_t row = 0; row < idf.size(); ++row) {
    if (text_counts[row] == 0) continue;
    idf[row] = static_cast<float>(
        std::log(all / (1 + static_cast<double>(text_counts[row]))) + 1);
  }
  return idf;
}

void AppendWideValues(absl::Span<const FeatureCount> features,
                      const std::vector<float>& idf, size_t first_character_row,
                      std::vector<WideFeature>* values) {
  const size_t begin = values->size();
  size_t characters = SIZE_MAX;
  for (const FeatureCount feature : features) {
    if (idf[feature.row] == 0) continue;
    if (characters == SIZE_MAX && feature.row >= first_character_row) {
      characters = values->size();
    }
    values->push_back(
        {feature.row, idf[feature.row] * SublinearCount(feature.count)});
  }
  characters = std::min(characters, values->size());
  const absl::Span<WideFeature> all = absl::MakeSpan(*values);
  Normalize(all.subspan(begin, characters - begin));
  Normalize(all.subspan(characters));
  values->push_back({static_cast<uint32_t>(idf.size()), kBiasValue});
}

}  // namespace firth
