#include "layout/umap.h"

#include <cmath>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

bool GoOnUmap(double) { return true; }

TEST(UmapTest, MembershipsAddUpToTheLogarithmOfTheNeighborhood) {
  NeighborLists lists;
  lists.count = 14;
  lists.values = RandomFloats(20 * 14, 1);
  lists.ids.resize(lists.values.size());
  for (size_t word = 0; word < 20; ++word) {
    for (float& value : lists.Values(word)) value = 1 + value / 2;
    std::sort(lists.Values(word).begin(), lists.Values(word).end());
  }
  const NeighborLists distances = lists;
  DistancesToMemberships(&lists);
  for (size_t word = 0; word < 20; ++word) {
    const auto values = lists.Values(word);
    EXPECT_EQ(values[0], 1);
    EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0),
                std::log2(15), 1e-4);
    // One scale for all of them.
    const auto d = distances.Values(word);
    EXPECT_NEAR(std::log(values[5]) / (d[0] - d[5]),
                std::log(values[13]) / (d[0] - d[13]), 1e-2);
  }
}

TEST(UmapTest, MembershipsOfEqualDistancesAreAllOne) {
  NeighborLists lists = {
      .count = 3, .ids = {1, 2, 3}, .values = {0.5f, 0.5f, 0.5f}};
  DistancesToMemberships(&lists);
  EXPECT_THAT(lists.values, testing::Each(1.f));
}

// As SciPy's curve_fit() finds them for umap-learn.
TEST(UmapTest, TheCurveIsThatOfLeastSquares) {
  struct Case {
    double min_dist, a, b;
  };
  constexpr Case kCases[] = {{0, 1.9328, 0.7905},   {0.001, 1.9291, 0.7915},
                             {0.1, 1.5769, 0.8951}, {0.25, 1.1214, 1.0575},
                             {0.5, 0.5830, 1.3342}, {0.8, 0.2321, 1.6812},
                             {1, 0.1150, 1.9292}};
  for (const Case& expected : kCases) {
    const UmapCurve curve = FitUmapCurve(expected.min_dist);
    EXPECT_NEAR(curve.a, expected.a, 1e-3) << expected.min_dist;
    EXPECT_NEAR(curve.b, expected.b, 1e-3) << expected.min_dist;
  }
}

// Two words with an edge, two without.
NeighborGraph OnePair() {
  return {.begins = {0, 1, 2, 2, 2}, .others = {1, 0}, .weights = {1, 1}};
}

TEST(UmapTest, AnEdgePullsItsWordsTogether) {
  std::vector<Point> points = {{-5, 0}, {5, 0}, {0, 8}, {0, -8}};
  UmapMethod method;
  method.epochs = 100;
  ASSERT_TRUE(OptimizeUmap(OnePair(), method, {}, 1, GoOnUmap, &points).ok());
  EXPECT_LT(SquaredLength(points[0] - points[1]), 4);
  // Nothing pulls these, and none of them has a turn to be pushed.
  EXPECT_EQ(points[2].y, 8);
  EXPECT_EQ(points[3].y, -8);
}

// One epoch by hand: both words have the old place of the other before them,
// and the step is cut to 4 in each dimension.
TEST(UmapTest, AStepIsTheGradientCut) {
  const NeighborGraph graph = {
      .begins = {0, 1, 2}, .others = {1, 0}, .weights = {1, 1}};
  std::vector<Point> points = {{0, 0}, {3, 0}};
  UmapMethod method;
  method.epochs = 1;
  Anchors anchors;
  anchors.places = {std::nullopt, Point{3, 0}};
  ASSERT_TRUE(OptimizeUmap(graph, method, anchors, 1, GoOnUmap, &points).ok());
  const double a = 1.5769, b = 0.8951;
  const auto power = [&](double squared) { return a * std::pow(squared, b); };
  // Toward the other, then away from it as often as it is drawn, of 5 times;
  // itself is drawn in the others.
  double x = 2 * b * power(9) / (9 * (1 + power(9))) * 3;
  std::vector<double> possible = {x};
  for (int push = 0; push < 5; ++push) {
    const double d = 3 - x, squared = d * d;
    x -= 2 * b / ((0.001 + squared) * (1 + power(squared))) * d;
    possible.push_back(x);
  }
  EXPECT_THAT(possible,
              testing::Contains(testing::DoubleNear(points[0].x, 2e-3)));
  EXPECT_EQ(points[1].x, 3);  // it is held
}

TEST(UmapTest, WhoeverStopsItIsHeard) {
  std::vector<Point> points(4);
  EXPECT_TRUE(absl::IsCancelled(OptimizeUmap(
      OnePair(), {}, {}, 1, [](double done) { return done < 0.5; }, &points)));
}

}  // namespace
}  // namespace firth
