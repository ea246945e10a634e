#include "nn/parameter.h"

#include "gtest/gtest.h"

namespace firth::nn {
namespace {

TEST(OrthogonalTest, TheShorterSideIsOrthonormal) {
  for (const auto& [rows, cols] :
       {std::pair<size_t, size_t>{7, 7}, {3, 8}, {9, 4}}) {
    Matrix<double> values(rows, cols);
    FillOrthogonal(5, values.view());
    const size_t size = std::min(rows, cols);
    Matrix<double> products(size, size);
    const Transpose wide = rows <= cols ? Transpose::kNo : Transpose::kYes;
    const Transpose tall = rows <= cols ? Transpose::kYes : Transpose::kNo;
    Product(values.view(), wide, values.view(), tall, Into::kOverwrite,
            products.view());
    for (size_t i = 0; i < size; ++i) {
      for (size_t j = 0; j < size; ++j) {
        EXPECT_NEAR(products.Row(i)[j], i == j ? 1 : 0, 1e-14);
      }
    }
  }
}

TEST(OrthogonalTest, TheKeySaysWhich) {
  Matrix<float> a(4, 4), b(4, 4), other(4, 4);
  FillOrthogonal(5, a.view());
  FillOrthogonal(5, b.view());
  FillOrthogonal(6, other.view());
  EXPECT_EQ(a.Row(1)[2], b.Row(1)[2]);
  EXPECT_NE(a.Row(1)[2], other.Row(1)[2]);
}

}  // namespace
}  // namespace firth::nn
