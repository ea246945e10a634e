// The values that the wide part reads of a text (see classifier_model.h), where
//
//   idf_f = ln((1 + N) / (1 + n_f)) + 1    n_f: texts of N that have f

#ifndef FIRTH_CLASSIFY_FEATURES_WIDE_VALUES_H_
#define FIRTH_CLASSIFY_FEATURES_WIDE_VALUES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "classify/features/feature_index.h"

namespace firth {

struct WideFeature {
  uint32_t row;
  float value;  // x
};

// The bias of a label is the weight of a feature that all texts have, with this
// value. It is small, so that the bias is penalized hardly less than other
// weights, and need not be trained before them.
constexpr float kBiasValue = 0.316227766f;

// Returns how many of `texts` have each feature: [rows].
std::vector<uint32_t> CountTexts(const FeatureBags& bags,
                                 absl::Span<const uint32_t> texts, size_t rows);

// Returns the idf of each feature that a text has, and 0 for the others.
std::vector<float> InverseFrequencies(absl::Span<const uint32_t> text_counts,
                                      size_t texts);

// Appends the values of a text's features, without those of idf 0, and then the
// value of the bias, whose row is idf.size(). `first_character_row` is that of
// the features.
void AppendWideValues(absl::Span<const FeatureCount> features,
                      const std::vector<float>& idf, size_t first_character_row,
                      std::vector<WideFeature>* values);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_FEATURES_WIDE_VALUES_H_
