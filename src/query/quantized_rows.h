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

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/matrix.h"
#include "firth/progress.h"
#include "firth/word_vectors.h"
#include "vectors/row_block.h"

namespace firth {

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
  void QuantizeRow(const WordVectors& vectors, size_t row, RowBlock* block,
                   std::vector<float>* unit);

  Matrix<int8_t> codes_;       // [rows, PaddedInt8Dim(dim)]
  std::vector<float> scales_;  // [rows]
  std::vector<float> errors_;  // [rows], error of a cosine
};

}  // namespace firth

#endif  // FIRTH_QUERY_QUANTIZED_ROWS_H_
