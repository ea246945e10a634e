// Clustering of points by k-means: seeds by k-means++ (Arthur and Vassilvitskii
// 2007), then Lloyd's steps. The result depends only on the points and the
// seed.

#ifndef FIRTH_VECTORS_K_MEANS_H_
#define FIRTH_VECTORS_K_MEANS_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace firth {

// `count` points of `dim` floats, one after another.
struct Points {
  const float* data;
  size_t count;
  size_t dim;

  const float* operator[](size_t point) const { return data + point * dim; }
};

// Writes k of the points, far from one another, to `centroids` [k, dim]. There
// must be at least one point.
void SeedCentroids(const Points& points, uint64_t seed,
                   absl::Span<float> centroids);

// Moves each centroid to the mean of its nearest points, `steps` times.
// Centroids without points stay. k must be at most kMostCentroids.
void MoveCentroids(const Points& points, int steps,
                   absl::Span<float> centroids);

}  // namespace firth

#endif  // FIRTH_VECTORS_K_MEANS_H_
