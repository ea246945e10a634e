#include "simd/decompositions.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

// (b + b^T) / 2 of random numbers: eigenvalues of both signs.
std::vector<double> RandomSymmetric(size_t dim, uint64_t seed) {
  const std::vector<float> b = RandomFloats(dim * dim, seed);
  std::vector<double> a(b.size());
  for (size_t i = 0; i < dim; ++i) {
    for (size_t j = 0; j < dim; ++j) {
      a[i * dim + j] = (double{b[i * dim + j]} + b[j * dim + i]) / 2;
    }
  }
  return a;
}

// sum_k weights_k v_k v_k^T, where v_k are the eigenvectors.
std::vector<double> Compose(const SymmetricEigen& eigen,
                            const std::vector<double>& weights) {
  const size_t dim = weights.size();
  std::vector<double> a(dim * dim);
  for (size_t k = 0; k < dim; ++k) {
    const double* const v = eigen.vectors.data() + k * dim;
    for (size_t i = 0; i < dim; ++i) {
      for (size_t j = 0; j < dim; ++j) {
        a[i * dim + j] += weights[k] * v[i] * v[j];
      }
    }
  }
  return a;
}

class SymmetricEigenTest : public testing::TestWithParam<size_t> {};

TEST_P(SymmetricEigenTest, ItsPartsGiveTheMatrix) {
  const size_t dim = GetParam();
  const std::vector<double> a = RandomSymmetric(dim, dim);
  const auto eigen = DecomposeSymmetric(a, dim);
  ASSERT_TRUE(eigen.ok()) << eigen.status();
  EXPECT_THAT(Compose(*eigen, eigen->values), Pointwise(DoubleNear(1e-12), a));
  std::vector<double> identity(dim * dim);
  for (size_t i = 0; i < dim; ++i) identity[i * dim + i] = 1;
  EXPECT_THAT(Compose(*eigen, std::vector<double>(dim, 1)),
              Pointwise(DoubleNear(1e-12), identity));
  for (size_t k = 1; k < dim; ++k) {
    EXPECT_GE(eigen->values[k - 1], eigen->values[k]);
  }
}

TEST_P(SymmetricEigenTest, TheSameMatrixGivesTheSameBits) {
  const size_t dim = GetParam();
  const std::vector<double> a = RandomSymmetric(dim, dim + 1);
  const auto once = DecomposeSymmetric(a, dim),
             again = DecomposeSymmetric(a, dim);
  ASSERT_TRUE(once.ok() && again.ok());
  EXPECT_EQ(once->values, again->values);
  EXPECT_EQ(once->vectors, again->vectors);
}

INSTANTIATE_TEST_SUITE_P(Dims, SymmetricEigenTest,
                         testing::Values(1, 2, 7, 64, 150));

// [[2.5, -1], [-1, 1]] = 3 v v^T + 0.5 w w^T for v = (2, -1) / sqrt(5) and w =
// (1, 2) / sqrt(5); minus it has the same vectors, which point the same way.
TEST(SymmetricEigenTest, TheGreatestEntryOfAVectorIsPositive) {
  for (const double sign : {1.0, -1.0}) {
    const auto eigen =
        DecomposeSymmetric({2.5 * sign, -sign, -sign, 1 * sign}, 2);
    ASSERT_TRUE(eigen.ok());
    const double large = 2 / std::sqrt(5), small = 1 / std::sqrt(5);
    const auto steep =
        ElementsAre(DoubleNear(large, 1e-12), DoubleNear(-small, 1e-12),
                    DoubleNear(small, 1e-12), DoubleNear(large, 1e-12));
    const auto flat =
        ElementsAre(DoubleNear(small, 1e-12), DoubleNear(large, 1e-12),
                    DoubleNear(large, 1e-12), DoubleNear(-small, 1e-12));
    if (sign > 0) {
      EXPECT_THAT(eigen->values,
                  ElementsAre(DoubleNear(3, 1e-12), DoubleNear(0.5, 1e-12)));
      EXPECT_THAT(eigen->vectors, steep);
    } else {
      EXPECT_THAT(eigen->values,
                  ElementsAre(DoubleNear(-0.5, 1e-12), DoubleNear(-3, 1e-12)));
      EXPECT_THAT(eigen->vectors, flat);
    }
  }
}

TEST(SymmetricEigenTest, WhatIsNotFiniteIsRefused) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(DecomposeSymmetric({1, bad, bad, 1}, 2).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace firth
