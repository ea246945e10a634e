#include "simd/stored_rows.h"

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "gtest/gtest.h"
#include "support/targets.h"

namespace firth {
namespace {

template <class Number>
std::vector<Number> RandomNumbers(size_t count, int64_t limit, uint64_t seed) {
  std::vector<Number> numbers(count);
  Rng rng(seed);
  for (Number& number : numbers) {
    number = static_cast<Number>(
        static_cast<int64_t>(rng.Next() % (2 * limit + 1)) - limit);
  }
  return numbers;
}

size_t Padded(size_t dim) {
  return (dim + kInt8RowBytes - 1) / kInt8RowBytes * kInt8RowBytes;
}

template <class A>
int64_t PlainDot(const A* a, const int8_t* b, size_t n) {
  int64_t sum = 0;
  for (size_t i = 0; i < n; ++i) sum += int64_t{a[i]} * b[i];
  return sum;
}

TEST(DotInt8Test, EqualsPlainLoopForEveryDimAndNumberOfRows) {
  constexpr size_t kMaxRows = 7;
  ForEachTarget([] {
    for (size_t dim = 1; dim <= 67; ++dim) {
      const size_t padded = Padded(dim);
      auto query = RandomNumbers<int16_t>(padded, 32767, dim);
      auto rows = RandomNumbers<int8_t>(kMaxRows * padded, 127, dim + 100);
      for (size_t i = dim; i < padded; ++i) {
        query[i] = 0;
        rows[i] = 0;
      }
      for (size_t num_rows = 0; num_rows <= kMaxRows; ++num_rows) {
        std::vector<int32_t> products(kMaxRows, -7);
        DotInt8Rows(query.data(), rows.data(), num_rows, padded,
                    products.data());
        for (size_t row = 0; row < kMaxRows; ++row) {
          const int8_t* const codes = rows.data() + row * padded;
          EXPECT_EQ(products[row],
                    row < num_rows ? PlainDot(query.data(), codes, padded) : -7)
              << "dim " << dim << " row " << row;
        }
      }
      EXPECT_EQ(DotInt8(rows.data(), rows.data() + padded, padded),
                PlainDot(rows.data(), rows.data() + padded, padded))
          << "dim " << dim;
    }
  });
}

// The greatest sums that are allowed, of either sign.
TEST(DotInt8Test, DoesNotOverflow) {
  constexpr size_t kDim = 512;  // 512 * 32767 * 127 is just below 2^31
  ForEachTarget([] {
    for (const int sign : {-1, 1}) {
      const std::vector<int16_t> query(kDim, static_cast<int16_t>(32767));
      const std::vector<int8_t> row(kDim, static_cast<int8_t>(127 * sign));
      int32_t product;
      DotInt8Rows(query.data(), row.data(), 1, kDim, &product);
      EXPECT_EQ(product, sign * 512 * 32767 * 127);
    }
  });
}

}  // namespace
}  // namespace firth
