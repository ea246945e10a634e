// The nearest of up to 256 points, the inner loop of clustering and of encoding
// with codebooks.

#ifndef FIRTH_SIMD_NEAREST_CENTROID_H_
#define FIRTH_SIMD_NEAREST_CENTROID_H_

#include <cstddef>
#include <cstdint>

#include "base/matrix.h"

namespace firth {

constexpr size_t kMostCentroids = 256;  // The number of values of a byte.

// Centroids in the layout of the kernel, one per lane.
class CentroidPanel {
 public:
  // centroids: [count, dim], row by row; count from 1 to kMostCentroids.
  CentroidPanel(const float* centroids, size_t count, size_t dim);

  // Sets codes[r * code_stride] to the centroid nearest to the `dim` floats at
  // rows + r * stride, the first one if several are equally near, for r <
  // num_rows. (To any centroid if a row is not finite.)
  void FindNearest(const float* rows, size_t num_rows, size_t stride,
                   uint8_t* codes, size_t code_stride) const;

 private:
  PaddedMatrix columns_;     // [dim, count]
  PaddedMatrix half_norms_;  // [1, count]: |c|^2 / 2, padded with infinity.
};

}  // namespace firth

#endif  // FIRTH_SIMD_NEAREST_CENTROID_H_
