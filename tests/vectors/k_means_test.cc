#include "vectors/product_quantizer.h"

#include <algorithm>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::FloatNear;

// Around 0, 10, 20 and 30, in turn.
std::vector<float> FourHeaps(size_t count) {
  std::vector<float> points = RandomFloats(count, 5);
  for (size_t i = 0; i < count; ++i) points[i] += 10 * (i % 4);
  return points;
}

TEST(KMeansTest, FindsClearClusters) {
  const std::vector<float> values = FourHeaps(4000);
  const Points points{values.data(), values.size(), 1};
  std::vector<float> centroids(4);
  SeedCentroids(points, 1, absl::MakeSpan(centroids));
  MoveCentroids(points, 10, absl::MakeSpan(centroids));
  std::sort(centroids.begin(), centroids.end());
  EXPECT_THAT(centroids, ElementsAre(FloatNear(0, 0.1f), FloatNear(10, 0.1f),
                                     FloatNear(20, 0.1f), FloatNear(30, 0.1f)));
}

TEST(KMeansTest, SeedsAreFarFromOneAnother) {
  const std::vector<float> values = FourHeaps(400);
  const Points points{values.data(), values.size(), 1};
  size_t heaps_hit = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<float> centroids(4);
    SeedCentroids(points, seed, absl::MakeSpan(centroids));
    for (float& centroid : centroids) {
      EXPECT_EQ(std::count(values.begin(), values.end(), centroid), 1);
      centroid = static_cast<float>(static_cast<int>((centroid + 5) / 10));
    }
    std::sort(centroids.begin(), centroids.end());
    heaps_hit +=
        std::unique(centroids.begin(), centroids.end()) - centroids.begin();
  }
  EXPECT_GT(heaps_hit, 180u) << "of 200; uniform draws would hit 137";
}

TEST(KMeansTest, FewOrEqualPointsGiveCentroidsToo) {
  for (const std::vector<float>& values :
       {std::vector<float>{3, 4}, std::vector<float>{3, 4, 3, 4, 3, 4}}) {
    const Points points{values.data(), values.size() / 2, 2};
    std::vector<float> centroids(8);
    SeedCentroids(points, 1, absl::MakeSpan(centroids));
    MoveCentroids(points, 3, absl::MakeSpan(centroids));
    EXPECT_THAT(centroids, ElementsAre(3, 4, 3, 4, 3, 4, 3, 4));
  }
}

}  // namespace
}  // namespace firth
