// The values that the wide part reads of a text, and the weight of the evidence
// of each feature for a label.
//
//   idf_f = ln((1 + N) / (1 + n_f)) + 1    n_f: texts of N that have f
//   r_fc  = ln((p_f / |p|) / (q_f / |q|))  p_f: 1 + texts of c that have f
//                                          q_f: 1 + other texts that have f
//
// r is that of Wang and Manning (2012, equation 1), with |p| the sum over
// features. classifier_model.h describes the values.

#ifndef FIRTH_SRC_CLASSIFY_WIDE_VALUES_H_
#define FIRTH_SRC_CLASSIFY_WIDE_VALUES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "classify/feature_index.h"
#include "classify/text_labels.h"
#include "classify/wide_step.h"
#include "classify/wide_table.h"

namespace firth {

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

// Sets all scales of the table, which has one row more than text_counts, and
// its weights to 0. A column is a label.
void SetScales(const FeatureBags& bags, const TextLabels& labels,
               absl::Span<const uint32_t> texts,
               absl::Span<const uint32_t> text_counts, int threads,
               WideTable* table);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_WIDE_VALUES_H_
