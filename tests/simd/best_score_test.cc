#include "simd/query_batch.h"

#include <vector>

#include "gtest/gtest.h"
#include "support/targets.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using FindBetter = bool (*)(const float*, const float*, const float*, size_t,
                            float*, size_t*);

struct BestScoreCase {
  const char* name;
  FindBetter find_better;
  float (*score)(float a, float b, float c);
};

const BestScoreCase kCases[] = {
    {"Sum", FindBetterSum, [](float a, float b, float c) { return b - a + c; }},
    {"Quotient", FindBetterQuotient,
     [](float a, float b, float c) { return b * c / (a + 0.001f); }},
};

class BestScoreTest : public testing::TestWithParam<BestScoreCase> {};

TEST_P(BestScoreTest, FindsFirstGreatestForEveryLength) {
  ForEachTarget([] {
    for (size_t n = 1; n <= 67; ++n) {
      std::vector<float> a = RandomFloats(n, n), b = RandomFloats(n, n + 100),
                         c = RandomFloats(n, n + 200);
      float expected = -1e9;
      size_t expected_pos = 0;
      for (size_t i = 0; i < n; ++i) {
        a[i] = a[i] / 2 + 0.5f;  // as cosines shifted to [0, 1]
        const float score = GetParam().score(a[i], b[i], c[i]);
        if (score > expected) expected = score, expected_pos = i;
      }
      float best = -1e9;
      size_t best_pos = n;
      EXPECT_TRUE(GetParam().find_better(a.data(), b.data(), c.data(), n, &best,
                                         &best_pos));
      EXPECT_FLOAT_EQ(best, expected) << n;
      EXPECT_EQ(best_pos, expected_pos) << n;
    }
  });
}

TEST_P(BestScoreTest, TakesTheFirstOfEqualScores) {
  ForEachTarget([] {
    for (size_t n = 2; n <= 67; ++n) {
      for (size_t first = 0; first + 1 < n; ++first) {
        const std::vector<float> a(n, 0.5f), c(n, 0.5f);
        std::vector<float> b(n, 0.25f);
        b[first] = b[n - 1] = 0.75f;
        float best = 0;
        size_t best_pos = n;
        ASSERT_TRUE(GetParam().find_better(a.data(), b.data(), c.data(), n,
                                           &best, &best_pos));
        ASSERT_EQ(best_pos, first) << "of " << n;
      }
    }
  });
}

TEST_P(BestScoreTest, LeavesABestThatIsNotBeaten) {
  const std::vector<float> a(20, 0.5f), b(20, 0.5f), c(20, 0.5f);
  ForEachTarget([&] {
    float best = GetParam().score(0.5f, 0.5f, 0.5f);
    const float before = best;
    size_t best_pos = 77;
    for (const size_t n : {0, 1, 2, 20}) {
      EXPECT_FALSE(GetParam().find_better(a.data(), b.data(), c.data(), n,
                                          &best, &best_pos));
    }
    EXPECT_EQ(best, before);
    EXPECT_EQ(best_pos, 77u);
  });
}

INSTANTIATE_TEST_SUITE_P(All, BestScoreTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace firth
