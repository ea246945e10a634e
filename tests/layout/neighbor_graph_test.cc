#include "layout/neighbor_graph.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::FloatEq;

// Words 0 and 1 know each other, 2 knows 0 alone.
NeighborLists ThreeWords() {
  return {.count = 1, .ids = {1, 0, 0}, .values = {0.5f, 0.25f, 0.8f}};
}

TEST(NeighborGraphTest, ProbabilitiesOfBothDirectionsUniteByHand) {
  const NeighborGraph graph = JoinLists(ThreeWords(), EdgeUnion::kProbability);
  EXPECT_THAT(graph.begins, ElementsAre(0, 2, 3, 4));
  EXPECT_THAT(graph.others, ElementsAre(1, 2, 0, 0));
  // .5 + .25 - .5 * .25
  EXPECT_THAT(graph.weights, ElementsAre(FloatEq(0.625f), FloatEq(0.8f),
                                         FloatEq(0.625f), FloatEq(0.8f)));
}

TEST(NeighborGraphTest, MeansTakeAMissingDirectionForZero) {
  const NeighborGraph graph = JoinLists(ThreeWords(), EdgeUnion::kMean);
  EXPECT_THAT(graph.weights, ElementsAre(FloatEq(0.375f), FloatEq(0.4f),
                                         FloatEq(0.375f), FloatEq(0.4f)));
}

}  // namespace
}  // namespace firth
