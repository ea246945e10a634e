#include "layout/tsne.h"

#include <cmath>
#include <numeric>

#include "gtest/gtest.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

bool GoOnTsne(double) { return true; }

TEST(TsneTest, ProbabilitiesHaveThePerplexity) {
  NeighborLists lists;
  lists.count = 90;
  lists.values = RandomFloats(10 * 90, 1);
  lists.ids.resize(lists.values.size());
  for (size_t word = 0; word < 10; ++word) {
    for (float& value : lists.Values(word)) value = 1 + value / 2;
    std::sort(lists.Values(word).begin(), lists.Values(word).end());
  }
  const NeighborLists distances = lists;
  DistancesToProbabilities(20, &lists);
  for (size_t word = 0; word < 10; ++word) {
    const auto p = lists.Values(word);
    double sum = 0, bits = 0;
    for (const float value : p) {
      sum += value;
      if (value > 0) bits -= value * std::log2(value);
    }
    EXPECT_NEAR(sum, 1, 1e-5);
    EXPECT_NEAR(std::exp2(bits), 20, 1e-2);
    // A Gaussian: ln p falls by the squared distance, 2 (1 - cos).
    const auto d = distances.Values(word);
    EXPECT_NEAR(std::log(p[0] / p[10]) / (2 * (d[10] - d[0])),
                std::log(p[0] / p[20]) / (2 * (d[20] - d[0])), 1e-2);
  }
}

TEST(TsneTest, FewNeighborsHaveAThirdOfThemForPerplexity) {
  NeighborLists lists = {.count = 6,
                         .ids = {1, 2, 3, 4, 5, 6},
                         .values = {.1f, .2f, .3f, .4f, .5f, .6f}};
  DistancesToProbabilities(30, &lists);
  double nats = 0;
  for (const float p : lists.values) nats -= p * std::log(p);
  EXPECT_NEAR(std::exp(nats), 2, 1e-3);
}

// Two words, each the other's only neighbour, have all of the probability: they
// come as near as they can, since the gradient, p q (y1 - y2) - q^2 (y1 - y2) /
// Z with p = q / Z = 1 / 2, is zero wherever they are.
TEST(TsneTest, TwoWordsAreContentWhereverTheyAre) {
  const NeighborGraph graph = {
      .begins = {0, 1, 2}, .others = {1, 0}, .weights = {1, 1}};
  std::vector<Point> points = {{0, 0}, {1, 2}};
  TsneMethod method;
  method.epochs = 3;
  Anchors anchors;
  anchors.places.resize(2);  // so that nothing is exaggerated
  ASSERT_TRUE(OptimizeTsne(graph, method, anchors, GoOnTsne, &points).ok());
  EXPECT_NEAR(points[1].x - points[0].x, 1, 1e-4);
  EXPECT_NEAR(points[1].y - points[0].y, 2, 1e-4);
}

// One step from rest by hand, of words in a chain 0 - 1 - 2, of which only 0
// may move: sum_j p_0j q_0j (y0 - yj) - sum_j q_0j^2 (y0 - yj) / Z, times the
// rate, 200, and the gain that a step from rest has, .8.
TEST(TsneTest, AStepIsTheGradient) {
  const NeighborGraph graph = {.begins = {0, 1, 3, 4},
                               .others = {1, 0, 2, 1},
                               .weights = {.75f, .75f, .75f, .75f}};
  std::vector<Point> points = {{0, 0}, {2, 0}, {3, 0}};
  TsneMethod method;
  method.epochs = 1;
  Anchors anchors;
  anchors.places = {std::nullopt, Point{2, 0}, Point{3, 0}};
  ASSERT_TRUE(OptimizeTsne(graph, method, anchors, GoOnTsne, &points).ok());
  const double q01 = 1 / 5.0, q02 = 1 / 10.0, q12 = 1 / 2.0;
  const double z = 2 * (q01 + q02 + q12);
  const double p01 = .75 / 3;
  const double gradient =
      p01 * q01 * -2 - (q01 * q01 * -2 + q02 * q02 * -3) / z;
  EXPECT_NEAR(points[0].x, -200 * .8 * gradient, 1e-2);
  EXPECT_EQ(points[1].x, 2);
  EXPECT_EQ(points[2].x, 3);
}

TEST(TsneTest, WhoeverStopsItIsHeard) {
  const NeighborGraph graph = {
      .begins = {0, 1, 2}, .others = {1, 0}, .weights = {1, 1}};
  std::vector<Point> points = {{0, 0}, {1, 2}};
  EXPECT_TRUE(absl::IsCancelled(OptimizeTsne(
      graph, {}, {}, [](double done) { return done < 0.5; }, &points)));
}

}  // namespace
}  // namespace firth
