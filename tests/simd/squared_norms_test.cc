#include "simd/stored_rows.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "support/reference.h"
#include "support/targets.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

TEST(SquaredNormsTest, EqualPlainLoopForEveryDimAndTarget) {
  constexpr size_t kRows = 5, kGap = 3;
  ForEachTarget([] {
    for (size_t dim = 1; dim <= 67; ++dim) {
      const size_t stride = dim + kGap;
      const std::vector<float> rows = RandomFloats(kRows * stride, dim);
      double norms[kRows];
      SquaredNorms(rows.data(), kRows, stride, dim, norms);
      for (size_t row = 0; row < kRows; ++row) {
        const absl::Span<const float> x(rows.data() + row * stride, dim);
        EXPECT_NEAR(norms[row], reference::Dot(x, x), 1e-13) << "dim " << dim;
      }
    }
  });
}

TEST(SquaredNormsTest, AreFiniteIfAndOnlyIfAllValuesAre) {
  constexpr float kMax = std::numeric_limits<float>::max();
  constexpr float kBad[] = {std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()};
  ForEachTarget([&] {
    for (size_t dim = 1; dim <= 67; ++dim) {
      std::vector<float> row(dim, kMax);
      double norm;
      SquaredNorms(row.data(), 1, dim, dim, &norm);
      EXPECT_TRUE(std::isfinite(norm));
      for (const float bad : kBad) {
        row[dim / 2] = bad;
        SquaredNorms(row.data(), 1, dim, dim, &norm);
        EXPECT_FALSE(std::isfinite(norm)) << "dim " << dim;
      }
    }
  });
}

}  // namespace
}  // namespace firth
