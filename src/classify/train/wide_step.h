// A step of the wide part: one text, all labels.
//
// Each label c is separated from the others by a linear machine with squared
// hinge loss over values x_f r_fc (Wang and Manning 2012). It is solved by dual
// coordinate descent (Hsieh et al., "A dual coordinate descent method for
// large-scale linear SVM", ICML 2008, algorithm 1). With y = 1 or -1, v_fc =
// w_fc r_fc, where w are the machine's weights, and a text's dual variable a_c,
//
//   G    = y sum_f x_f v_fc - 1 + D a_c,     D = 1 / (2 C)
//   Q    = sum_f x_f^2 r_fc^2 + D
//   a_c' = max(a_c - G / Q, 0)
//   v_fc += (a_c' - a_c) y x_f r_fc^2
//
// The table stores v, so that scores do not need r, the evidence of a feature
// for a label (Wang and Manning 2012, equation 1):
//
//   r_fc = ln((p_f / |p|) / (q_f / |q|))   p_f: 1 + texts of c that have f
//                                          q_f: 1 + other texts that have f
//
// with |p| the sum over features. Threads update one table
// without locks (Hsieh, Yu and Dhillon, "PASSCoDe", ICML 2015).

#ifndef FIRTH_CLASSIFY_TRAIN_WIDE_STEP_H_
#define FIRTH_CLASSIFY_TRAIN_WIDE_STEP_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/matrix.h"
#include "base/shared_matrix.h"
#include "classify/features/feature_index.h"
#include "classify/features/wide_values.h"
#include "classify/texts/text_labels.h"

namespace firth {

// The weights during training. Each feature has a row: its weights, one per
// column, then the factors of their steps, r^2, so that both are in one cache
// line if there are at most 8 columns. A column is a label. For two labels, one
// column is enough, because the other's weights are the same with the opposite
// sign.
class WideTable {
 public:
  // Maximum number of columns in a vector.
  static constexpr size_t kLanes = 8;

  static size_t WidthOf(size_t columns) {
    return columns == 1 ? 1 : (columns + kLanes - 1) / kLanes * kLanes;
  }

  WideTable() = default;
  // Creates a table of zeros. Throws std::bad_alloc.
  WideTable(size_t rows, size_t columns)
      : columns_(columns),
        width_(WidthOf(columns)),
        values_(rows, 2 * width_) {}

  size_t rows() const { return values_.rows(); }
  size_t columns() const { return columns_; }
  size_t width() const { return width_; }  // columns with padding
  size_t stride() const { return 2 * width_; }

  SharedRow Row(size_t row) { return SharedRow(values_.Row(row)); }
  // For reading and writing while no worker runs.
  float* Weights(size_t row) { return values_.Row(row); }
  const float* Weights(size_t row) const { return values_.Row(row); }
  float* Scales(size_t row) { return values_.Row(row) + width_; }

 private:
  size_t columns_ = 0;
  size_t width_ = 0;
  Matrix<float> values_;
};

// A text as required by its step. Aligned pointers are aligned to 64 bytes.
struct WideText {
  absl::Span<const WideFeature> features;
  const float* signs;       // y, [width]; 0 for padding; aligned
  float* duals;             // a, [width]
  float half_inverse_cost;  // D
};

// Sets all scales of the table, which has one row more than text_counts, and
// its weights to 0. A column is a label.
void SetScales(const FeatureBags& bags, const TextLabels& labels,
               absl::Span<const uint32_t> texts,
               absl::Span<const uint32_t> text_counts, int threads,
               WideTable* table);

// Trains on a text. scores: [width], aligned; set to the text's scores before
// the step.
void StepWide(const WideText& text, WideTable& table, float* scores);

// Computes scores with the current weights. Workers may still run.
void ScoreWide(absl::Span<const WideFeature> features, WideTable& table,
               float* scores);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_TRAIN_WIDE_STEP_H_
