#include "layout/clusters.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Point kMiddles[] = {{0, 0}, {20, 0}, {0, 20}};

// Words w0, w1, ... in turn around each of the middles, 1 away at most.
std::vector<Point> ThreeGroups(size_t count) {
  const std::vector<float> noise = RandomFloats(2 * count, 1);
  std::vector<Point> points;
  for (size_t i = 0; i < count; ++i) {
    points.push_back(kMiddles[i % 3] +
                     Point{noise[2 * i] / 2, noise[2 * i + 1] / 2});
  }
  return points;
}

Vocabulary Words(size_t count) {
  std::vector<std::string> words;
  for (size_t i = 0; i < count; ++i) words.push_back(absl::StrCat("w", i));
  const std::vector<absl::string_view> views(words.begin(), words.end());
  return *Vocabulary::Create(views, {});
}

std::vector<MapCluster> OfLevel(const std::vector<MapCluster>& clusters,
                                int level) {
  std::vector<MapCluster> found;
  for (const MapCluster& cluster : clusters) {
    if (cluster.level == level) found.push_back(cluster);
  }
  return found;
}

TEST(ClustersTest, GroupsArePeaksWithTheirFirstWords) {
  const std::vector<MapCluster> clusters =
      OfLevel(FindClusters(ThreeGroups(300), Words(300)), 0);
  ASSERT_THAT(clusters, SizeIs(3));
  for (const MapCluster& cluster : clusters) {
    size_t group = 0;
    while (group < 3 && SquaredLength(Point{cluster.x, cluster.y} -
                                      kMiddles[group]) > 0.5f) {
      ++group;
    }
    ASSERT_LT(group, 3u) << cluster.x << " " << cluster.y;
    EXPECT_THAT(
        cluster.words,
        ElementsAre(absl::StrCat("w", group), absl::StrCat("w", group + 3),
                    absl::StrCat("w", group + 6), absl::StrCat("w", group + 9),
                    absl::StrCat("w", group + 12)));
  }
}

TEST(ClustersTest, NearerLooksFindMore) {
  std::vector<Point> points;
  const std::vector<float> noise = RandomFloats(20'000, 3);
  for (size_t i = 0; i < 10'000; ++i) {
    points.push_back({10 * noise[2 * i], 10 * noise[2 * i + 1]});
  }
  const std::vector<MapCluster> clusters = FindClusters(points, Words(10'000));
  const size_t far = OfLevel(clusters, 0).size();
  const size_t near = OfLevel(clusters, 2).size();
  EXPECT_GE(far, 2u);
  EXPECT_LE(far, 40u);
  EXPECT_GT(OfLevel(clusters, 1).size(), far);
  EXPECT_GT(near, OfLevel(clusters, 1).size());
  EXPECT_LE(near, 1000u);
}

TEST(ClustersTest, FewWordsAndWordsAtOnePlaceHaveNone) {
  EXPECT_THAT(FindClusters({{1, 2}}, Words(1)), IsEmpty());
  EXPECT_THAT(FindClusters({{1, 2}, {5, 7}}, Words(2)), IsEmpty());
  EXPECT_THAT(FindClusters(std::vector<Point>(50, {3, 3}), Words(50)),
              IsEmpty());
}

// The grid stays small however far out a point is.
TEST(ClustersTest, AnOutlierDoesNotHideTheGroups) {
  std::vector<Point> points = ThreeGroups(3000);
  points.push_back({200, 200});
  EXPECT_THAT(OfLevel(FindClusters(points, Words(3001)), 0), SizeIs(3));
}

}  // namespace
}  // namespace firth
