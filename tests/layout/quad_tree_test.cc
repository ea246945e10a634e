#include "layout/tsne.h"

#include <algorithm>
#include <cmath>

#include "gtest/gtest.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

std::vector<Point> RandomPoints(size_t count, float extent, uint64_t seed) {
  const std::vector<float> numbers = RandomFloats(2 * count, seed);
  std::vector<Point> points;
  for (size_t i = 0; i < count; ++i) {
    points.push_back({extent * numbers[2 * i], extent * numbers[2 * i + 1]});
  }
  return points;
}

QuadTree::Repulsion PlainSum(const std::vector<Point>& points, size_t point) {
  QuadTree::Repulsion sum;
  for (size_t other = 0; other < points.size(); ++other) {
    if (other == point) continue;
    const Point way = points[point] - points[other];
    const float q = 1 / (1 + SquaredLength(way));
    sum.weight += q;
    sum.force = sum.force + q * q * way;
  }
  return sum;
}

void ExpectNear(const QuadTree::Repulsion& sum,
                const QuadTree::Repulsion& expected, double weight_error,
                double force_error) {
  EXPECT_NEAR(sum.weight, expected.weight, weight_error);
  EXPECT_NEAR(sum.force.x, expected.force.x, force_error);
  EXPECT_NEAR(sum.force.y, expected.force.y, force_error);
}

TEST(QuadTreeTest, WithoutAnAngleItSumsOverAllPoints) {
  for (const size_t count : {1, 2, 3, 17, 300}) {
    const std::vector<Point> points = RandomPoints(count, 5, count);
    const QuadTree tree(points);
    for (uint32_t place = 0; place < count; ++place) {
      ExpectNear(tree.Repel(place, 0), PlainSum(points, tree.order()[place]),
                 1e-3, 1e-3);
    }
  }
}

TEST(QuadTreeTest, FarCellsCountAsOne) {
  const std::vector<Point> points = RandomPoints(3000, 40, 1);
  const QuadTree tree(points);
  double most = 0;
  for (uint32_t place = 0; place < 3000; place += 50) {
    const QuadTree::Repulsion expected = PlainSum(points, tree.order()[place]);
    ExpectNear(tree.Repel(place, 0.5f), expected, 0.02 * expected.weight, 0.03);
    most = std::max<double>(most, std::abs(expected.force.x));
  }
  EXPECT_GT(most, 0.5);  // so that the error above is small
}

TEST(QuadTreeTest, PointsAtOnePlacePushAllButThemselves) {
  const std::vector<Point> points(5, {2, 3});
  const QuadTree tree(points);
  ExpectNear(tree.Repel(2, 0.5f), {4, {0, 0}}, 0, 0);
  std::vector<Point> more = points;
  more.push_back({3, 3});
  const QuadTree pair(more);
  for (uint32_t place = 0; place < 6; ++place) {
    ExpectNear(pair.Repel(place, 0), PlainSum(more, pair.order()[place]), 1e-6,
               1e-6);
  }
}

TEST(QuadTreeTest, ItHasEachPointOnce) {
  std::vector<uint32_t> order = QuadTree(RandomPoints(500, 1, 2)).order();
  std::sort(order.begin(), order.end());
  for (uint32_t i = 0; i < 500; ++i) EXPECT_EQ(order[i], i);
}

}  // namespace
}  // namespace firth
