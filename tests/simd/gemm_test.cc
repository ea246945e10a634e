#include "simd/gemm.h"

#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

struct GemmCase {
  Transpose a_t, b_t;
  size_t m, n, k;
  float alpha, beta;
};

constexpr size_t kGap = 3;  // floats between rows, to test leading dimensions
constexpr float kUntouched = 1e9f;

double At(const std::vector<float>& matrix, size_t leading_dim,
          Transpose transpose, size_t row, size_t col) {
  return transpose == Transpose::kYes ? matrix[col * leading_dim + row]
                                      : matrix[row * leading_dim + col];
}

void ExpectEqualsPlainLoops(const GemmCase& p) {
  SCOPED_TRACE(testing::Message()
               << "transposes " << (p.a_t == Transpose::kYes)
               << (p.b_t == Transpose::kYes) << " shape " << p.m << " " << p.n
               << " " << p.k << " alpha " << p.alpha << " beta " << p.beta);
  const size_t lda = (p.a_t == Transpose::kYes ? p.m : p.k) + kGap;
  const size_t ldb = (p.b_t == Transpose::kYes ? p.k : p.n) + kGap;
  const size_t ldc = p.n + kGap;
  const std::vector<float> a = RandomFloats(lda * (p.m + p.k), 1);
  const std::vector<float> b = RandomFloats(ldb * (p.k + p.n), 2);
  const std::vector<float> before = RandomFloats(ldc * p.m, 3);
  std::vector<float> c = before;
  for (size_t i = 0; i < p.m; ++i) {
    for (size_t j = p.n; j < ldc; ++j) c[i * ldc + j] = kUntouched;
  }
  Gemm(p.a_t, p.b_t, p.m, p.n, p.k, p.alpha, a.data(), lda, b.data(), ldb,
       p.beta, c.data(), ldc);
  for (size_t i = 0; i < p.m; ++i) {
    for (size_t j = 0; j < p.n; ++j) {
      double sum = 0;
      for (size_t x = 0; x < p.k; ++x) {
        sum += At(a, lda, p.a_t, i, x) * At(b, ldb, p.b_t, x, j);
      }
      const double expected = p.alpha * sum + p.beta * before[i * ldc + j];
      EXPECT_NEAR(c[i * ldc + j], expected, 1e-4) << i << " " << j;
    }
    for (size_t j = p.n; j < ldc; ++j) EXPECT_EQ(c[i * ldc + j], kUntouched);
  }
}

TEST(GemmTest, EqualsPlainLoopsForAllTransposesAndShapes) {
  constexpr size_t kShapes[][3] = {{1, 1, 1},  {2, 3, 4},  {17, 5, 33},
                                   {1, 40, 9}, {40, 1, 9}, {33, 31, 67}};
  for (const Transpose a_t : {Transpose::kNo, Transpose::kYes}) {
    for (const Transpose b_t : {Transpose::kNo, Transpose::kYes}) {
      for (const auto& [m, n, k] : kShapes) {
        ExpectEqualsPlainLoops({a_t, b_t, m, n, k, 1, 0});
        ExpectEqualsPlainLoops({a_t, b_t, m, n, k, -0.5f, 1});
        ExpectEqualsPlainLoops({a_t, b_t, m, n, k, 2, 0.25f});
      }
    }
  }
}

TEST(GemmTest, BetaZeroOverwritesWhateverIsThere) {
  const std::vector<float> a = {1, 2}, b = {3, 4};
  std::vector<float> c = {std::numeric_limits<float>::quiet_NaN()};
  Gemm(Transpose::kNo, Transpose::kNo, 1, 1, 2, 1, a.data(), 2, b.data(), 1, 0,
       c.data(), 1);
  EXPECT_EQ(c[0], 11);
}

TEST(GemmTest, EmptyShapesAreAllowed) {
  std::vector<float> c = {8};
  Gemm(Transpose::kNo, Transpose::kNo, 1, 1, 0, 1, nullptr, 0, nullptr, 1, 0.5f,
       c.data(), 1);
  EXPECT_EQ(c[0], 4);
  Gemm(Transpose::kNo, Transpose::kNo, 0, 0, 0, 1, nullptr, 0, nullptr, 0, 0,
       nullptr, 0);
}

TEST(GemmDeathTest, SizesBeyondIntAndNarrowLeadingDimensionsAreOurMistake) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  float x = 0;
  const size_t huge = size_t{1} << 31;
  EXPECT_DEATH(Gemm(Transpose::kNo, Transpose::kNo, huge, 1, 1, 1, &x, 1, &x, 1,
                    0, &x, 1),
               "check failed");
  EXPECT_DEATH(
      Gemm(Transpose::kNo, Transpose::kNo, 1, 1, 2, 1, &x, 1, &x, 1, 0, &x, 1),
      "check failed");
}

}  // namespace
}  // namespace firth
