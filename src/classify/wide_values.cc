#include "classify/wide_values.h"

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

void SetScales(const FeatureBags& bags, const TextLabels& labels,
               absl::Span<const uint32_t> texts,
               absl::Span<const uint32_t> text_counts, int threads,
               WideTable* table) {
  const size_t rows = text_counts.size();
  const size_t columns = table->columns();
  for (size_t row = 0; row <= rows; ++row) {
    std::fill_n(table->Weights(row), table->stride(), 0.0f);
  }
  // The weights store counts until they are used.
  for (const uint32_t text : texts) {
    for (const uint32_t label : labels.Of(text)) {
      if (label >= columns) continue;
      for (const FeatureCount feature : bags.Of(text)) {
        table->Weights(feature.row)[label] += 1;
      }
    }
  }
  std::vector<double> own(columns);
  double all = 0;
  double features = 0;
  for (size_t row = 0; row < rows; ++row) {
    all += text_counts[row];
    if (text_counts[row] > 0) ++features;
    for (size_t c = 0; c < columns; ++c) {
      own[c] += static_cast<double>(table->Weights(row)[c]);
    }
  }
  std::vector<float> norms(columns);  // ln(|q| / |p|)
  for (size_t c = 0; c < columns; ++c) {
    norms[c] = static_cast<float>(
        std::log((features + all - own[c]) / (features + own[c])));
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (size_t row = 0; row < rows; ++row) {
    float* const weights = table->Weights(row);
    float* const scales = table->Scales(row);
    const auto total = static_cast<float>(text_counts[row]);
    for (size_t c = 0; c < columns && total > 0; ++c) {
      const float ratio =
          std::log((1 + weights[c]) / (1 + total - weights[c])) + norms[c];
      scales[c] = ratio * ratio;
      weights[c] = 0;
    }
  }
  std::fill_n(table->Scales(rows), columns, 1.0f);
}

}  // namespace firth
