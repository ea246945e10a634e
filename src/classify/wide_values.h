// The values that the wide part reads of a text, and how much each feature
// speaks for a label.
//
//   idf_f = ln((1 + N) / (1 + n_f)) + 1    n_f: texts of N that have f
//   r_fc  = ln((p_f / |p|) / (q_f / |q|))  p_f: 1 + texts of c that have f
//                                          q_f: 1 + the others that have it
//
// r as Wang and Manning have it (2012, equation 1), with |p| the sum over
// features. Values are told in classifier_model.h.

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
// value; small, so that it is hardly penalized less than others and yet does
// not have to be learnt before them.
constexpr float kBiasValue = 0.316227766f;

// How many of `texts` have each feature: [rows].
std::vector<uint32_t> CountTexts(const FeatureBags& bags,
                                 absl::Span<const uint32_t> texts, size_t rows);

// idf of each feature that a text has; 0 of the others.
std::vector<float> InverseFrequencies(absl::Span<const uint32_t> text_counts,
                                      size_t texts);

// Appends the values of a text's features, those of idf 0 left out, and that
// of the bias, whose row is idf.size(). first_character_row: of the features.
void AppendWideValues(absl::Span<const FeatureCount> features,
                      const std::vector<float>& idf, size_t first_character_row,
                      std::vector<WideFeature>* values);

// Sets all scales of the table, which has a row more than text_counts has, and
// its weights to 0. A column is a label.
void SetScales(const FeatureBags& bags, const TextLabels& labels,
               absl::Span<const uint32_t> texts,
               absl::Span<const uint32_t> text_counts, int threads,
               WideTable* table);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_WIDE_VALUES_H_
