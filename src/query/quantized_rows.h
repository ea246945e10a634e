// The unit vectors of all words, rounded to bytes: a quarter of the memory.
//
// A row's largest value becomes 127 or -127, the others are rounded to whole
// numbers, and the length of what rounding took away tells how wrong a cosine
// computed from the bytes may be: up to 36 dimensions for certain, above but
// for six standard deviations. (The certain bound is three times as wide at 300
// dimensions and left thousands of rare words to score again.)

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
  float error = 0;  // of a product with any unit vector, at most
};

size_t PaddedInt8Dim(size_t dim);

// unit: [dim], of length 1 or 0; for rows that are rotated, rotated, too.
QuantizedVector QuantizeVector(absl::Span<const float> unit);
QuantizedQuery QuantizeQuery(absl::Span<const float> unit);

class QuantizedRows {
 public:
  // Of the first num_rows words, on all cores. Where hooks ask to stop, the
  // rows are of no use.
  QuantizedRows(const WordVectors& vectors, size_t num_rows,
                const Hooks& hooks = {});

  size_t size() const { return scales_.size(); }
  size_t stride() const { return codes_.stride(); }
  const int8_t* Codes(size_t row) const { return codes_.Row(row); }
  float scale(size_t row) const { return scales_[row]; }

  // Cosines of the rows [begin, begin + count) with the query, and how wrong
  // each may be.
  void Cosines(const QuantizedQuery& query, size_t begin, size_t count,
               float* cosines, float* errors) const;

 private:
  void QuantizeRow(const WordVectors& vectors, size_t row, RowBlock* block,
                   std::vector<float>* unit);

  Matrix<int8_t> codes_;       // [rows, PaddedInt8Dim(dim)]
  std::vector<float> scales_;  // [rows]
  std::vector<float> errors_;  // [rows], of a cosine
};

}  // namespace firth

#endif  // FIRTH_QUERY_QUANTIZED_ROWS_H_
