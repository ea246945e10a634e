#include "simd/decompositions.h"

#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "simd/gemm.h"
#include "support/threads.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

// The products of random rows: `rank` eigenvalues above 0, of which the first
// are the larger the greater `slant` is.
std::vector<double> RandomProducts(size_t dim, size_t rank, double slant) {
  const std::vector<float> random = RandomFloats(rank * dim, dim);
  std::vector<double> rows(random.begin(), random.end());
  for (size_t k = 0; k < rank; ++k) {
    const double scale = std::pow(static_cast<double>(k + 1), -slant);
    for (size_t i = 0; i < dim; ++i) rows[k * dim + i] *= scale;
  }
  std::vector<double> products(dim * dim);
  Gemm(Transpose::kYes, Transpose::kNo, dim, dim, rank, 1.0, rows.data(), dim,
       rows.data(), dim, 0.0, products.data(), dim);
  return products;
}

TEST(LargestEigenTest, AreThoseOfTheWholeDecomposition) {
  struct Case {
    size_t dim, rank, count;
    double slant;
  };
  for (const Case& c : {Case{64, 64, 1, 0},
                        {130, 130, 2, 0},
                        {300, 300, 4, 0.5},
                        {500, 500, 7, 1},
                        {500, 3, 3, 0},
                        {500, 1, 1, 0}}) {
    const std::vector<double> a = RandomProducts(c.dim, c.rank, c.slant);
    const auto all = DecomposeSymmetric(a, c.dim);
    const auto found = LargestEigen(a, c.dim, c.count, nullptr);
    ASSERT_TRUE(found.ok()) << found.status();
    ASSERT_EQ(found->vectors.size(), c.count * c.dim);
    for (size_t k = 0; k < c.count; ++k) {
      EXPECT_NEAR(found->values[k], all->values[k], 1e-8 * all->values[0]);
      for (size_t i = 0; i < c.dim; ++i) {
        EXPECT_NEAR(found->vectors[k * c.dim + i], all->vectors[k * c.dim + i],
                    1e-5)
            << c.dim << ' ' << c.rank << ' ' << k;
      }
    }
  }
}

TEST(LargestEigenTest, ZerosHaveSomeDirections) {
  constexpr size_t kDim = 128;
  const auto found =
      LargestEigen(std::vector<double>(kDim * kDim), kDim, 2, nullptr);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->values, std::vector<double>(2));
  double squares = 0;
  for (const double value : found->vectors) squares += value * value;
  EXPECT_NEAR(squares, 2, 1e-9);
}

TEST(LargestEigenTest, ThreadsDoNotChangeABit) {
  const std::vector<double> a = RandomProducts(700, 700, 0.3);
  std::vector<std::vector<double>> found;
  for (const int threads : {1, 3}) {
    const ScopedThreads scoped(threads);
    found.push_back(LargestEigen(a, 700, 3, nullptr)->vectors);
  }
  EXPECT_EQ(found[0], found[1]);
}

TEST(LargestEigenTest, StopsAndRefusesWhatIsNotFinite) {
  std::vector<double> a = RandomProducts(128, 128, 0);
  const std::atomic<bool> stop = true;
  EXPECT_EQ(LargestEigen(a, 128, 1, &stop).status().code(),
            absl::StatusCode::kCancelled);
  a[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(LargestEigen(a, 128, 1, nullptr).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace firth
