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
// The table stores v, so that scores do not need r. Threads update one table
// without locks (Hsieh, Yu and Dhillon, "PASSCoDe", ICML 2015).

#ifndef FIRTH_SRC_CLASSIFY_WIDE_STEP_H_
#define FIRTH_SRC_CLASSIFY_WIDE_STEP_H_

#include <cstdint>

#include "absl/types/span.h"
#include "classify/wide_table.h"

namespace firth {

struct WideFeature {
  uint32_t row;
  float value;  // x
};

// A text as required by its step. Aligned pointers are aligned to 64 bytes.
struct WideText {
  absl::Span<const WideFeature> features;
  const float* signs;       // y, [width]; 0 for padding; aligned
  float* duals;             // a, [width]
  float half_inverse_cost;  // D
};

// Trains on a text. scores: [width], aligned; set to the text's scores before
// the step.
void StepWide(const WideText& text, WideTable& table, float* scores);

// Computes scores with the current weights. Workers may still run.
void ScoreWide(absl::Span<const WideFeature> features, WideTable& table,
               float* scores);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_WIDE_STEP_H_
