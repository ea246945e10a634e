#include "simd/packed_gemm.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "support/targets.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

constexpr size_t kGap = 3;  // floats between rows, to test leading dimensions

struct Shape {
  size_t m, n, k;
};

void ExpectBlocksEqualPlainLoops(Transpose a_t, Transpose b_t,
                                 const Shape& shape, bool add) {
  const auto [m, n, k] = shape;
  const bool a_turned = a_t == Transpose::kYes;
  const bool b_turned = b_t == Transpose::kYes;
  SCOPED_TRACE(testing::Message() << a_turned << b_turned << " " << m << " "
                                  << n << " " << k << " " << add);
  const size_t lda = (a_turned ? m : k) + kGap, ldb = (b_turned ? k : n) + kGap;
  const size_t ldc = n + kGap;
  const std::vector<float> a = RandomFloats(lda * (a_turned ? k : m), 1);
  const std::vector<float> b = RandomFloats(ldb * (b_turned ? n : k), 2);
  const std::vector<float> before = RandomFloats(ldc * m, 3);
  std::vector<float> c = before;
  MultiplyInBlocks(a_t, b_t, m, n, k, a.data(), lda, b.data(), ldb, add,
                   c.data(), ldc);
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < ldc; ++j) {
      double expected = before[i * ldc + j];
      if (j < n) {
        if (!add) expected = 0;
        for (size_t x = 0; x < k; ++x) {
          expected += double{a[a_turned ? x * lda + i : i * lda + x]} *
                      b[b_turned ? j * ldb + x : x * ldb + j];
        }
      }
      ASSERT_NEAR(c[i * ldc + j], expected, 1e-4 * std::sqrt(k))
          << i << " " << j;
    }
  }
}

TEST(PackedGemmTest, BlocksEqualPlainLoopsForAllShapes) {
  // Whole tiles and panels and what is left of them; several blocks of the
  // depth, of columns and of rows.
  constexpr Shape kShapes[] = {{1, 1, 1},    {16, 32, 16},  {23, 37, 19},
                               {8, 64, 33},  {101, 33, 21}, {5, 9, 1030},
                               {3, 1050, 5}, {200, 7, 6}};
  ForEachTarget([&] {
    for (const Transpose a_t : {Transpose::kNo, Transpose::kYes}) {
      for (const Transpose b_t : {Transpose::kNo, Transpose::kYes}) {
        for (const Shape& shape : kShapes) {
          for (const bool add : {false, true}) {
            ExpectBlocksEqualPlainLoops(a_t, b_t, shape, add);
          }
        }
      }
    }
  });
}

void ExpectEqualsPlainLoops(Transpose transpose, size_t m, size_t n, size_t k,
                            bool add) {
  SCOPED_TRACE(testing::Message() << (transpose == Transpose::kYes) << " " << m
                                  << " " << n << " " << k << " " << add);
  const bool turned = transpose == Transpose::kYes;
  const size_t lda = k + kGap, ldb = (turned ? k : n) + kGap, ldc = n + kGap;
  const std::vector<float> a = RandomFloats(lda * m, 1);
  const std::vector<float> b = RandomFloats(ldb * (turned ? n : k), 2);
  const std::vector<float> before = RandomFloats(ldc * m, 3);
  std::vector<float> c = before;
  PackedMatrix packed;
  packed.Pack(transpose, k, n, b.data(), ldb);
  MultiplyPacked(m, a.data(), lda, packed, add, c.data(), ldc);
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < ldc; ++j) {
      double expected = before[i * ldc + j];
      if (j < n) {
        if (!add) expected = 0;
        for (size_t x = 0; x < k; ++x) {
          expected +=
              double{a[i * lda + x]} * b[turned ? j * ldb + x : x * ldb + j];
        }
      }
      ASSERT_NEAR(c[i * ldc + j], expected, 1e-4) << i << " " << j;
    }
  }
}

TEST(PackedGemmTest, EqualsPlainLoopsForAllShapes) {
  ForEachTarget([] {
    for (const Transpose transpose : {Transpose::kNo, Transpose::kYes}) {
      for (const bool add : {false, true}) {
        for (const size_t m : {1, 2, 5, 6, 8, 13, 32}) {
          for (const size_t n : {1, 7, 16, 31, 32, 33, 100}) {
            for (const size_t k : {0, 1, 2, 19}) {
              ExpectEqualsPlainLoops(transpose, m, n, k, add);
            }
          }
        }
      }
    }
  });
}

TEST(PackedGemmTest, PackingAgainReplacesWhatWasThere) {
  const std::vector<float> ones(12, 1.0f), twos(12, 2.0f);
  PackedMatrix packed;
  packed.Pack(Transpose::kNo, 3, 4, ones.data(), 4);
  packed.Pack(Transpose::kYes, 4, 3, twos.data(), 4);
  float c[3];
  MultiplyPacked(1, ones.data(), 4, packed, false, c, 3);
  for (const float value : c) EXPECT_EQ(value, 8);
}

}  // namespace
}  // namespace firth
