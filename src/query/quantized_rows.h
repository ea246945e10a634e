// The unit vectors of all words, rounded to bytes, a quarter of the memory.
//
// A row's largest value becomes 127 or -127, and the others are rounded to
// whole numbers. The length of the rounding error gives a bound for the error
// of a cosine computed from the bytes. The bound is strict up to 36 dimensions,
// and above that it is six standard deviations. (The strict bound is three
// times as wide at 300 dimensions, and left thousands of rare words to score
// again.)

#ifndef FIRTH_QUERY_QUANTIZED_ROWS_H_
#define FIRTH_QUERY_QUANTIZED_ROWS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "base/matrix.h"
#include "base/parallel_exceptions.h"
#include "firth/progress.h"
#include "firth/word_vectors.h"
#include "vectors/row_block.h"

namespace firth {

// Calls visit(row, values) with the values [dim] of each of the first rows as
// floats, on all cores. One thread visits the rows of a part, in order. If
// `hooks` request a stop, the remaining rows are not visited.
template <class Visit>
void ForRowsInParts(const WordVectors& vectors, size_t num_rows,
                    size_t part_rows, const Hooks& hooks, const Visit& visit) {
  const size_t num_parts = (num_rows + part_rows - 1) / part_rows;
  ParallelExceptions exceptions;
#pragma omp parallel
  {
    std::optional<RowBlock> block;
    exceptions.Catch([&] { block.emplace(vectors.rows(), 1); });
#pragma omp for schedule(static)
    for (size_t part = 0; part < num_parts; ++part) {
      if (!block.has_value() || hooks.StopRequested()) continue;
      exceptions.Catch([&] {
        const size_t end = std::min((part + 1) * part_rows, num_rows);
        for (size_t row = part * part_rows; row < end; ++row) {
          visit(row, block->Read(row, 1));
        }
      });
    }
  }
  exceptions.Rethrow();
}

// A unit vector x as bytes: x[i] is codes[i] * scale, within rounding.
struct QuantizedVector {
  std::vector<int8_t> codes;  // [PaddedInt8Dim(dim)]
  float scale = 0;
};

// A unit query in 16 bits.
struct QuantizedQuery {
  std::vector<int16_t> codes;  // [PaddedInt8Dim(dim)]
  float scale = 0;
  float error = 0;  // maximum error of a product with any unit vector
};

size_t PaddedInt8Dim(size_t dim);

// unit: [dim], of length 1 or 0, and rotated if the rows are rotated.
QuantizedVector QuantizeVector(absl::Span<const float> unit);
QuantizedQuery QuantizeQuery(absl::Span<const float> unit);

class QuantizedRows {
 public:
  // Rounds the first num_rows words, using all cores. If `hooks` request a
  // stop, the rows must be discarded.
  QuantizedRows(const WordVectors& vectors, size_t num_rows,
                const Hooks& hooks = {});

  size_t size() const { return scales_.size(); }
  size_t stride() const { return codes_.stride(); }
  const int8_t* Codes(size_t row) const { return codes_.Row(row); }
  float scale(size_t row) const { return scales_[row]; }

  // Computes the cosines of the rows [begin, begin + count) with the query, and
  // the maximum error of each.
  void Cosines(const QuantizedQuery& query, size_t begin, size_t count,
               float* cosines, float* errors) const;

 private:
  Matrix<int8_t> codes_;       // [rows, PaddedInt8Dim(dim)]
  std::vector<float> scales_;  // [rows]
  std::vector<float> errors_;  // [rows], error of a cosine
};

// A unit vector minus the mean: x[i] is codes[i] * scale, within rounding.
struct CenteredVector {
  std::vector<int8_t> codes;  // [PaddedInt8Dim(dim)]
  float scale = 0;
  float squared_norm = 0;
};

// The unit vectors of all words minus their mean, rounded to bytes. A graph
// compares these.
//
// Vectors of a small text or of a network may all point in nearly the same
// direction, and would be equal after rounding. What distinguishes them is
// their differences: |a - b|^2 = 2 - 2 cos(a, b) for unit vectors. Subtracting
// the same vector from both does not change this distance, but shortens them,
// and the rounding error shrinks with their length.
class CenteredRows {
 public:
  // Uses all cores; the result does not depend on their number. If `hooks`
  // request a stop, the rows must be discarded.
  explicit CenteredRows(const WordVectors& vectors, const Hooks& hooks = {});

  size_t size() const { return scales_.size(); }
  size_t stride() const { return codes_.stride(); }
  const int8_t* Codes(size_t row) const { return codes_.Row(row); }
  float scale(size_t row) const { return scales_[row]; }
  // Returns the squared norm of the rounded row. The row of a zero vector is
  // zeros. Its norm places it about as far from unit vectors as an orthogonal
  // vector.
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

// unit: [dim], rotated like the rows.
CenteredVector Center(absl::Span<const float> unit,
                      absl::Span<const float> mean);

}  // namespace firth

#endif  // FIRTH_QUERY_QUANTIZED_ROWS_H_
