#include "nn/parameter.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace firth::nn {
namespace {

bool HasOnlyZeros(const Matrix<double>& values) {
  return std::all_of(values.data(), values.data() + values.size(),
                     [](double value) { return value == 0; });
}

TEST(WithoutFirstValuesTest, NothingIsDrawnWhileOneLives) {
  Matrix<double> values(3, 4);
  {
    const WithoutFirstValues outer;
    {
      const WithoutFirstValues inner;
      FillNormal(1, 7, values);
    }
    FillUniform(1, 7, values);
    FillGlorot(3, 4, 7, values);
    EXPECT_TRUE(HasOnlyZeros(values));
  }
  FillNormal(1, 7, values);
  EXPECT_FALSE(HasOnlyZeros(values));
}

TEST(GradientTest, OfAllRowsStartsWithZerosAndReturnsToThem) {
  Gradient<double> gradient(2, 3, GradientKind::kDense);
  EXPECT_EQ(gradient.num_stored(), 2u);
  EXPECT_EQ(gradient.SquaredNorm(), 0);
  gradient.Row(1)[2] += 3;
  gradient.view().Row(0)[0] += 4;
  EXPECT_EQ(gradient.SquaredNorm(), 25);
  gradient.Scale(2);
  EXPECT_EQ(gradient.Stored(1)[2], 6);
  Gradient<double> sum(2, 3, GradientKind::kDense);
  sum.Add(gradient);
  sum.Add(gradient);
  EXPECT_EQ(sum.Row(0)[0], 16);
  gradient.Clear();
  EXPECT_EQ(gradient.SquaredNorm(), 0);
}

TEST(GradientTest, OfTouchedRowsHoldsThem) {
  Gradient<double> gradient(9, 2, GradientKind::kSparse);
  gradient.Row(7)[1] += 3;
  gradient.Row(2)[0] += 4;
  gradient.Row(7)[0] += 1;
  ASSERT_EQ(gradient.num_stored(), 2u);
  EXPECT_EQ(gradient.TableRow(0), 7u);
  EXPECT_EQ(gradient.SquaredNorm(), 26);
  gradient.Clear();
  EXPECT_EQ(gradient.num_stored(), 0u);
  EXPECT_EQ(*gradient.Row(7), 0);
}

}  // namespace
}  // namespace firth::nn
