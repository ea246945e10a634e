// The unit vectors of all words minus their mean, rounded to bytes: what a
// graph compares.
//
// Vectors of a text that was too small, or of a network, may all point in
// nearly one direction. Rounded as they are, they would all be the same. Their
// differences are what distinguishes them: |a - b|^2 = 2 - 2 cos(a, b) of unit
// vectors, and that stays the same when the same vector is subtracted from
// both, while the rounding error shrinks with their length.

#ifndef FIRTH_QUERY_CENTERED_ROWS_H_
#define FIRTH_QUERY_CENTERED_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/matrix.h"
#include "firth/progress.h"
#include "firth/word_vectors.h"
#include "query/quantized_rows.h"

namespace firth {

// A unit vector minus the mean: x[i] is codes[i] * scale, within rounding.
struct CenteredVector {
  std::vector<int8_t> codes;  // [PaddedInt8Dim(dim)]
  float scale = 0;
  float squared_norm = 0;
};

class CenteredRows {
 public:
  // On all cores; the result does not depend on how many. Where hooks ask to
  // stop, the rows are of no use.
  explicit CenteredRows(const WordVectors& vectors, const Hooks& hooks = {});

  size_t size() const { return scales_.size(); }
  size_t stride() const { return codes_.stride(); }
  const int8_t* Codes(size_t row) const { return codes_.Row(row); }
  float scale(size_t row) const { return scales_[row]; }
  // Of the rounded row. A zero vector has no direction: its row is zeros, whose
  // norm places it about as far from unit vectors as an orthogonal one is.
  float squared_norm(size_t row) const { return squared_norms_[row]; }

  // Returns the mean of the unit vectors, without zero vectors: [dim].
  const std::vector<float>& mean() const { return mean_; }

 private:
  void SetMean(const WordVectors& vectors, const Hooks& hooks);

  std::vector<float> mean_;
  Matrix<int8_t> codes_;              // [rows, PaddedInt8Dim(dim)]
  std::vector<float> scales_;         // [rows]
  std::vector<float> squared_norms_;  // [rows]
};

// unit: [dim], rotated as the rows are.
CenteredVector Center(absl::Span<const float> unit,
                      absl::Span<const float> mean);

}  // namespace firth

#endif  // FIRTH_QUERY_CENTERED_ROWS_H_
