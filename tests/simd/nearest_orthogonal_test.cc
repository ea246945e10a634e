#include "simd/decompositions.h"

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::ElementsAreArray;

std::vector<double> RandomSquare(size_t dim, uint64_t seed) {
  const std::vector<float> values = RandomFloats(dim * dim, seed);
  return {values.begin(), values.end()};
}

// a b^T, all [dim, dim].
std::vector<double> TimesTransposed(const std::vector<double>& a,
                                    const std::vector<double>& b, size_t dim) {
  std::vector<double> product(dim * dim);
  for (size_t i = 0; i < dim; ++i) {
    for (size_t j = 0; j < dim; ++j) {
      for (size_t k = 0; k < dim; ++k) {
        product[i * dim + j] += a[i * dim + k] * b[j * dim + k];
      }
    }
  }
  return product;
}

class NearestOrthogonalTest : public testing::TestWithParam<size_t> {};

// a = U S V^T, so that a (U V^T)^T = U S U^T is symmetric; of the orthogonal
// matrices with that property it is the one whose trace is the greatest.
TEST_P(NearestOrthogonalTest, IsTheOrthogonalFactorOfThePolarDecomposition) {
  const size_t dim = GetParam();
  const std::vector<double> a = RandomSquare(dim, dim);
  const auto q = NearestOrthogonal(a, dim);
  ASSERT_TRUE(q.ok()) << q.status();
  const std::vector<double> square = TimesTransposed(*q, *q, dim);
  const std::vector<double> symmetric = TimesTransposed(a, *q, dim);
  double trace = 0;
  for (size_t i = 0; i < dim; ++i) {
    trace += symmetric[i * dim + i];
    for (size_t j = 0; j < dim; ++j) {
      EXPECT_NEAR(square[i * dim + j], i == j ? 1 : 0, 1e-12);
      EXPECT_NEAR(symmetric[i * dim + j], symmetric[j * dim + i], 1e-11);
    }
  }
  // The sum of the singular values is at least the Frobenius norm.
  double squares = 0;
  for (const double value : a) squares += value * value;
  EXPECT_GE(trace, std::sqrt(squares) - 1e-12);
}

TEST_P(NearestOrthogonalTest, TheSameMatrixGivesTheSameBits) {
  const size_t dim = GetParam();
  const std::vector<double> a = RandomSquare(dim, dim + 1);
  EXPECT_THAT(*NearestOrthogonal(a, dim),
              ElementsAreArray(*NearestOrthogonal(a, dim)));
}

INSTANTIATE_TEST_SUITE_P(Dims, NearestOrthogonalTest,
                         testing::Values(1, 2, 3, 7, 26, 64, 100));

// One product of a column and a row: of its singular values one is not 0.
TEST(NearestOrthogonalTest, AMatrixOfRankOneHasOneToo) {
  const auto q = NearestOrthogonal({2, 4, 1, 2}, 2);
  ASSERT_TRUE(q.ok()) << q.status();
  EXPECT_NEAR((*q)[0] * (*q)[2] + (*q)[1] * (*q)[3], 0, 1e-12);
  // |x - Q|^2 is least where <x, Q> is greatest: 5, the singular value.
  EXPECT_NEAR(2 * (*q)[0] + 4 * (*q)[1] + (*q)[2] + 2 * (*q)[3], 5, 1e-12);
}

}  // namespace
}  // namespace firth
