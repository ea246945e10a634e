#include "vectors/k_means.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/rng.h"
#include "simd/nearest_centroid.h"

namespace firth {
namespace {

// Points per centroid from which seeds are drawn. More points hardly improve
// the seeds, and every draw reads all of them.
constexpr size_t kSeedPoints = 32;

float SquaredDistance(const float* a, const float* b, size_t dim) {
  float sum = 0;
  for (size_t i = 0; i < dim; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

// Draws a position in proportion to the weights, or any position if all are 0.
size_t Draw(const std::vector<float>& weights, double total, Rng& rng) {
  double rest = total * rng.NextFloat();
  for (size_t i = 0; i < weights.size(); ++i) {
    rest -= weights[i];
    if (rest < 0) return i;
  }
  return rng.Below(static_cast<uint32_t>(weights.size()));
}

}  // namespace

void SeedCentroids(const Points& points, uint64_t seed,
                   absl::Span<float> centroids) {
  const size_t dim = points.dim;
  const size_t k = centroids.size() / dim;
  const size_t count = std::min(points.count, kSeedPoints * k);
  // Evenly spread over all points, because their order may be significant.
  const auto point = [&](size_t i) { return points[i * points.count / count]; };
  Rng rng(CombineKeys(seed, count));
  // Distance of each point to the nearest centroid so far.
  std::vector<float> distances(count, std::numeric_limits<float>::infinity());
  size_t chosen = rng.Below(static_cast<uint32_t>(count));
  for (size_t c = 0; c < k; ++c) {
    std::copy_n(point(chosen), dim, centroids.data() + c * dim);
    double total = 0;
    for (size_t i = 0; i < count; ++i) {
      distances[i] =
          std::min(distances[i], SquaredDistance(point(i), point(chosen), dim));
      total += distances[i];
    }
    chosen = Draw(distances, total, rng);
  }
}

void MoveCentroids(const Points& points, int steps,
                   absl::Span<float> centroids) {
  const size_t dim = points.dim;
  const size_t k = centroids.size() / dim;
  std::vector<uint8_t> nearest(points.count);
  std::vector<double> sums;
  std::vector<uint32_t> sizes;
  for (int step = 0; step < steps; ++step) {
    CentroidPanel(centroids.data(), k, dim)
        .FindNearest(points.data, points.count, dim, nearest.data(), 1);
    sums.assign(centroids.size(), 0);
    sizes.assign(k, 0);
    for (size_t i = 0; i < points.count; ++i) {
      double* const sum = sums.data() + nearest[i] * dim;
      for (size_t j = 0; j < dim; ++j) sum[j] += points[i][j];
      ++sizes[nearest[i]];
    }
    for (size_t i = 0; i < centroids.size(); ++i) {
      const uint32_t size = sizes[i / dim];
      if (size > 0) centroids[i] = static_cast<float>(sums[i] / size);
    }
  }
}

}  // namespace firth
