#include "simd/nearest_centroid.h"

#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "support/targets.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

double SquaredDistance(const float* a, const float* b, size_t dim) {
  double sum = 0;
  for (size_t i = 0; i < dim; ++i) {
    const double difference = double{a[i]} - b[i];
    sum += difference * difference;
  }
  return sum;
}

TEST(NearestCentroidTest, FindsTheNearestForEveryDimAndCount) {
  constexpr size_t kRows = 7;
  ForEachTarget([] {
    for (size_t dim = 1; dim <= 67; dim += dim < 10 ? 1 : 7) {
      for (const size_t count : {1, 2, 15, 16, 17, 100, 255, 256}) {
        const size_t stride = dim + 3;
        const auto rows = RandomFloats(kRows * stride, dim);
        const auto centroids = RandomFloats(count * dim, count);
        const CentroidPanel panel(centroids.data(), count, dim);
        std::vector<uint8_t> codes(2 * kRows, 77);
        panel.FindNearest(rows.data(), kRows, stride, codes.data(), 2);
        for (size_t row = 0; row < kRows; ++row) {
          const float* const x = rows.data() + row * stride;
          double least = std::numeric_limits<double>::infinity();
          for (size_t c = 0; c < count; ++c) {
            least =
                std::min(least, SquaredDistance(x, &centroids[c * dim], dim));
          }
          ASSERT_LT(codes[2 * row], count);
          EXPECT_NEAR(SquaredDistance(x, &centroids[codes[2 * row] * dim], dim),
                      least, 1e-4)
              << "dim " << dim << " of " << count << ", row " << row;
          EXPECT_EQ(codes[2 * row + 1], 77) << "between the codes";
        }
      }
    }
  });
}

TEST(NearestCentroidTest, OfEqualOnesTakesTheFirst) {
  ForEachTarget([] {
    const std::vector<float> centroids = {5, 2, 3, 2, 2, 9};
    const CentroidPanel panel(centroids.data(), 6, 1);
    const float row = 2;
    uint8_t code;
    panel.FindNearest(&row, 1, 1, &code, 1);
    EXPECT_EQ(code, 1);
  });
}

TEST(NearestCentroidTest, NamesSomeCentroidForRowsThatAreNotFinite) {
  ForEachTarget([] {
    const auto centroids = RandomFloats(size_t{20} * 2, 1);
    const CentroidPanel panel(centroids.data(), 20, 2);
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity()}) {
      const float row[] = {bad, bad};
      uint8_t code;
      panel.FindNearest(row, 1, 2, &code, 1);
      EXPECT_LT(code, 20) << bad;
    }
  });
}

}  // namespace
}  // namespace firth
