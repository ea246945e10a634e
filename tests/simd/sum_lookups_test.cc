#include "simd/stored_rows.h"

#include <vector>

#include "base/rng.h"
#include "gtest/gtest.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

TEST(SumLookupsTest, EqualsPlainLoopForEveryNumberOfParts) {
  constexpr size_t kRows = 5;
  for (const size_t entries : {1, 3, 256}) {
    for (size_t parts = 1; parts <= 67; ++parts) {
      const std::vector<float> tables = RandomFloats(parts * entries, parts);
      Rng rng(parts);
      std::vector<uint8_t> codes(kRows * parts);
      for (uint8_t& code : codes) {
        code = static_cast<uint8_t>(rng.Below(static_cast<uint32_t>(entries)));
      }
      std::vector<float> sums(kRows + 1, -7);
      SumLookups(tables.data(), entries, codes.data(), kRows, parts,
                 sums.data());
      EXPECT_EQ(sums[kRows], -7);
      for (size_t row = 0; row < kRows; ++row) {
        double expected = 0;
        for (size_t part = 0; part < parts; ++part) {
          expected += tables[part * entries + codes[row * parts + part]];
        }
        EXPECT_NEAR(sums[row], expected, 1e-5)
            << parts << " parts, row " << row;
        float alone;
        SumLookups(tables.data(), entries, codes.data() + row * parts, 1, parts,
                   &alone);
        EXPECT_EQ(alone, sums[row]);
      }
    }
  }
}

}  // namespace
}  // namespace firth
