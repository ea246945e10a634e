#include "vectors/procrustes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/reference.h"
#include "support/rotations.h"
#include "support/threads.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::HasSubstr;

// [rows, dim] as Procrustes asks for it.
struct Rows {
  std::vector<float> values;
  size_t dim;

  size_t size() const { return values.size() / dim; }
  absl::Span<const float> Row(size_t row) const {
    return absl::MakeConstSpan(values).subspan(row * dim, dim);
  }
  void operator()(size_t begin, size_t count, float* block) const {
    std::copy_n(values.begin() + static_cast<ptrdiff_t>(begin * dim),
                count * dim, block);
  }
};

Rows RandomRows(size_t rows, size_t dim, uint64_t seed) {
  return {RandomFloats(rows * dim, seed), dim};
}

Rows Rotated(const Rows& rows, const std::vector<float>& rotation,
             float noise) {
  Rows rotated = {{}, rows.dim};
  const std::vector<float> errors = RandomFloats(rows.values.size(), 77);
  for (size_t row = 0; row < rows.size(); ++row) {
    for (const float value : Rotate(rotation, rows.Row(row))) {
      rotated.values.push_back(value + noise * errors[rotated.values.size()]);
    }
  }
  return rotated;
}

std::vector<float> Procrustes(const Rows& x, const Rows& y) {
  const auto rotation = ProcrustesRotation(x.size(), x.dim, x, y);
  EXPECT_TRUE(rotation.ok()) << rotation.status();
  return *rotation;
}

// sum_i |W x_i - y_i|^2
double Distance(const std::vector<float>& rotation, const Rows& x,
                const Rows& y) {
  double sum = 0;
  for (size_t row = 0; row < x.size(); ++row) {
    const std::vector<float> moved = Rotate(rotation, x.Row(row));
    for (size_t i = 0; i < moved.size(); ++i) {
      sum += std::pow(double{moved[i]} - y.Row(row)[i], 2);
    }
  }
  return sum;
}

TEST(SumOuterProductsTest, EqualsAPlainLoopOverSeveralBlocks) {
  constexpr size_t kRows = 2500, kDim = 7;
  const Rows x = RandomRows(kRows, kDim, 1), y = RandomRows(kRows, kDim, 2);
  const std::vector<double> sums = SumOuterProducts(kRows, kDim, x, y);
  for (size_t i = 0; i < kDim; ++i) {
    for (size_t j = 0; j < kDim; ++j) {
      double expected = 0;
      for (size_t row = 0; row < kRows; ++row) {
        expected += double{x.Row(row)[i]} * y.Row(row)[j];
      }
      EXPECT_NEAR(sums[i * kDim + j], expected, 1e-3) << i << ", " << j;
    }
  }
}

TEST(SumOuterProductsTest, DoesNotDependOnTheNumberOfThreads) {
  const Rows x = RandomRows(5000, 9, 1), y = RandomRows(5000, 9, 2);
  const ScopedThreads one(1);
  const std::vector<double> expected = SumOuterProducts(5000, 9, x, y);
  const ScopedThreads three(3);
  EXPECT_EQ(SumOuterProducts(5000, 9, x, y), expected);
}

TEST(ProcrustesTest, FindsTheRotationUnderNoise) {
  for (const size_t dim : {1, 2, 3, 20, 67}) {
    SCOPED_TRACE(dim);
    const std::vector<float> rotation = RandomRotation(dim, 5);
    ASSERT_LT(FarFromOrthogonal(rotation, dim), 1e-5);
    const Rows x = RandomRows(1500, dim, 3);
    const std::vector<float> found = Procrustes(x, Rotated(x, rotation, 0.1f));
    EXPECT_LT(FarFromOrthogonal(found, dim), 1e-5);
    EXPECT_LT(FarApart(found, rotation), 0.02);
    EXPECT_LT(FarApart(Procrustes(x, Rotated(x, rotation, 0)), rotation), 1e-5);
  }
}

// Of two dimensions the best rotation is known: tan(angle) is the sum of the
// cross products over that of the dot products.
TEST(ProcrustesTest, IsTheClosedFormInThePlane) {
  const float angle = 0.7f;
  const Rows x = RandomRows(50, 2, 8);
  const Rows y = Rotated(
      x, {std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle)},
      0.5f);
  double cross = 0, dot = 0;
  for (size_t row = 0; row < x.size(); ++row) {
    cross += double{x.Row(row)[0]} * y.Row(row)[1] -
             double{x.Row(row)[1]} * y.Row(row)[0];
    dot += reference::Dot(x.Row(row), y.Row(row));
  }
  const double best = std::atan2(cross, dot);
  EXPECT_NEAR(best, angle, 0.2);
  const std::vector<float> found = Procrustes(x, y);
  EXPECT_NEAR(found[0], std::cos(best), 1e-5);
  EXPECT_NEAR(found[1], -std::sin(best), 1e-5);
  EXPECT_NEAR(found[2], std::sin(best), 1e-5);
  EXPECT_NEAR(found[3], std::cos(best), 1e-5);
}

// Of rows that have nothing to do with each other, too.
TEST(ProcrustesTest, NoOtherRotationIsNearer) {
  constexpr size_t kDim = 6;
  const Rows x = RandomRows(40, kDim, 1), y = RandomRows(40, kDim, 2);
  const double least = Distance(Procrustes(x, y), x, y);
  for (uint64_t seed = 0; seed < 200; ++seed) {
    EXPECT_LT(least, Distance(RandomRotation(kDim, seed), x, y));
  }
}

TEST(ProcrustesTest, OnePairIsNotEnoughButIsMet) {
  constexpr size_t kDim = 5;
  const Rows x = {{1, 0, 0, 0, 0}, kDim}, y = {{0, 0.6f, 0, 0.8f, 0}, kDim};
  const std::vector<float> found = Procrustes(x, y);
  EXPECT_LT(FarFromOrthogonal(found, kDim), 1e-5);
  EXPECT_LT(FarApart(Rotate(found, x.Row(0)), y.Row(0)), 1e-5);
  EXPECT_LT(FarFromOrthogonal(Procrustes({{0, 0}, 2}, {{0, 0}, 2}), 2), 1e-5);
}

TEST(ProcrustesTest, ProductsThatOverflowAreAnError) {
  const float large = std::numeric_limits<float>::max();
  const Rows rows = {{large, large}, 2};
  EXPECT_THAT(
      std::string(ProcrustesRotation(1, 2, rows, rows).status().message()),
      HasSubstr("the products of the vectors are not finite"));
}

TEST(ProcrustesTest, DimensionsThatDoNotFitInMemoryAreAnError) {
  const Rows rows = {{0}, 1};
  EXPECT_EQ(ProcrustesRotation(0, 100'000'000, rows, rows).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(MoveRowsTest, EqualsAPlainLoopForEveryDim) {
  constexpr size_t kWords = 300;
  for (size_t dim = 1; dim <= 67; dim += 3) {
    const WordVectors vectors = RandomVectors(kWords, dim, dim);
    const RigidMotion motion = {RandomRotation(dim, 1), RandomFloats(dim, 2),
                                RandomFloats(dim, 3)};
    const std::vector<float> scales = RandomFloats(kWords, 4);
    const auto moved = MoveRows(vectors.table(), motion, scales);
    const auto unscaled = MoveRows(vectors.table(), motion);
    ASSERT_TRUE(moved.ok() && unscaled.ok());
    for (size_t row = 0; row < kWords; ++row) {
      for (const float scale : {scales[row], 1.0f}) {
        std::vector<float> centered(dim);
        for (size_t i = 0; i < dim; ++i) {
          centered[i] = scale * vectors.table().Row(row)[i] - motion.from[i];
        }
        std::vector<float> expected = Rotate(motion.rotation, centered);
        for (size_t i = 0; i < dim; ++i) expected[i] += motion.to[i];
        const FloatTable& table = scale == 1 ? *unscaled : *moved;
        EXPECT_LT(FarApart(table.Row(row), expected), 1e-5)
            << "dim " << dim << " row " << row;
      }
    }
  }
}

}  // namespace
}  // namespace firth
