#include <vector>

#include "gtest/gtest.h"
#include "simd/stored_rows.h"
#include "support/targets.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

// The values behind the mean stay as they are.
TEST(SumRowsTest, EqualsPlainLoop) {
  ForEachTarget([&] {
    for (size_t dim = 0; dim <= 67; ++dim) {
      for (const size_t num_rows : {0, 1, 2, 5}) {
        // Has the exact size, so that AddressSanitizer reports what is read
        // beyond its end.
        std::vector<std::vector<float>> rows;
        std::vector<const float*> starts;
        for (size_t r = 0; r < num_rows; ++r) {
          rows.push_back(RandomFloats(dim, r + 1));
          starts.push_back(rows.back().data());
        }
        const std::vector<float> scales = {0.5f, -2, 3, 0, 0.1f};
        for (const float* const scale :
             {static_cast<const float*>(nullptr), scales.data()}) {
          std::vector<float> mean(dim + 1, -7);
          SumRows(starts.data(), scale, num_rows, 0.25f, dim, mean.data());
          for (size_t i = 0; i < dim; ++i) {
            double sum = 0;
            for (size_t r = 0; r < num_rows; ++r) {
              sum += (scale == nullptr ? 1.0 : scale[r]) * rows[r][i];
            }
            EXPECT_NEAR(mean[i], sum / 4, 1e-6) << i << " of " << dim;
          }
          EXPECT_EQ(mean[dim], -7);
        }
      }
    }
  });
}

}  // namespace
}  // namespace firth
