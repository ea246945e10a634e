#include "simd/packed_gemm.h"

#include <algorithm>
#include <cmath>
#include <new>
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

// A factor's value, op(matrix)[row, column].
struct Factor {
  Transpose transpose;
  const std::vector<float>& values;
  size_t leading_dim;

  double At(size_t row, size_t column) const {
    return transpose == Transpose::kYes ? values[column * leading_dim + row]
                                        : values[row * leading_dim + column];
  }
};

// c, with leading dimension n + kGap, is alpha A B, or `before` and that.
void ExpectProduct(const Factor& a, const Factor& b, const Shape& shape,
                   double alpha, bool add, const std::vector<float>& before,
                   const std::vector<float>& c) {
  const size_t ldc = shape.n + kGap;
  for (size_t i = 0; i < shape.m; ++i) {
    for (size_t j = 0; j < ldc; ++j) {
      double expected = before[i * ldc + j];
      if (j < shape.n) {
        if (!add) expected = 0;
        for (size_t x = 0; x < shape.k; ++x)
          expected += alpha * a.At(i, x) * b.At(x, j);
      }
      ASSERT_NEAR(c[i * ldc + j], expected,
                  1e-4 * std::sqrt(std::max<size_t>(shape.k, 1)))
          << i << " " << j;
    }
  }
}

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
  constexpr float kAlpha = 0.75f;
  MultiplyInBlocks(a_t, b_t, m, n, k, kAlpha, a.data(), lda, b.data(), ldb, add,
                   c.data(), ldc);
  ExpectProduct({a_t, a, lda}, {b_t, b, ldb}, shape, kAlpha, add, before, c);
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

void ExpectEqualsPlainLoops(Transpose transpose, const Shape& shape, bool add) {
  const auto [m, n, k] = shape;
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
  ExpectProduct({Transpose::kNo, a, lda}, {transpose, b, ldb}, shape, 1, add,
                before, c);
}

TEST(PackedGemmTest, EqualsPlainLoopsForAllShapes) {
  ForEachTarget([] {
    for (const Transpose transpose : {Transpose::kNo, Transpose::kYes}) {
      for (const bool add : {false, true}) {
        for (const size_t m : {1, 2, 5, 6, 8, 13, 32}) {
          for (const size_t n : {1, 7, 16, 31, 32, 33, 100}) {
            for (const size_t k : {0, 1, 2, 19}) {
              ExpectEqualsPlainLoops(transpose, {m, n, k}, add);
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

TEST(PackedGemmTest, WithoutMemoryTheOldPanelsStay) {
  // 256 TB, more than there are addresses.
  constexpr size_t kHuge = size_t{1} << 23;
  const std::vector<float> twos(12, 2.0f);
  PackedMatrix packed;
  packed.Pack(Transpose::kNo, 3, 4, twos.data(), 4);
  EXPECT_THROW(packed.Pack(Transpose::kNo, kHuge, kHuge, twos.data(), kHuge),
               std::bad_alloc);
  float c[4];
  MultiplyPacked(1, twos.data(), 4, packed, false, c, 4);
  for (const float value : c) EXPECT_EQ(value, 12);
}

}  // namespace
}  // namespace firth
