// Vectors of sentences, worked out by hand.

#include <vector>

#include "firth/contextualizer.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

struct PoolingCase {
  const char* name;
  Pooling pooling;
  std::vector<float> values;  // [layers, dim]
};

TEST(PoolingTest, OneVectorALayer) {
  // Two layers of three tokens, in two dimensions.
  const TokenVectors vectors{
      2, 3, 2, {1, -4, 2, -1, 6, -1, /**/ 0, 8, -3, 2, 0, -1}};
  const PoolingCase cases[] = {
      {"mean", Pooling::kMean, {3, -2, -1, 3}},
      {"max", Pooling::kMax, {6, -1, 0, 8}},
      {"first", Pooling::kFirst, {1, -4, 0, 8}},
      {"last", Pooling::kLast, {6, -1, 0, -1}},
  };
  for (const PoolingCase& test : cases) {
    SCOPED_TRACE(test.name);
    const TokenVectors pooled = Pool(vectors, test.pooling);
    EXPECT_EQ(pooled.layers, 2u);
    EXPECT_EQ(pooled.tokens, 1u);
    EXPECT_EQ(pooled.dim, 2u);
    EXPECT_EQ(pooled.values, test.values);
    const TokenVectors nothing = Pool({2, 0, 2, {}}, test.pooling);
    EXPECT_EQ(nothing.tokens, 1u);
    EXPECT_EQ(nothing.values, std::vector<float>(4));
  }
}

}  // namespace
}  // namespace firth
