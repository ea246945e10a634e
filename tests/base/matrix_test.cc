#include "base/matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "base/memory_info.h"

namespace firth {
namespace {

template <class T>
class PaddedRowsTest : public testing::Test {};
using Numbers = testing::Types<float, double, int8_t, uint16_t>;
TYPED_TEST_SUITE(PaddedRowsTest, Numbers);

TYPED_TEST(PaddedRowsTest, StartOnBordersAndAreZeroToTheNext) {
  constexpr size_t kRow = 64 / sizeof(TypeParam);
  for (const size_t cols : {size_t{1}, kRow - 1, kRow, kRow + 1}) {
    const Matrix<TypeParam, kPaddedRows> matrix(3, cols);
    EXPECT_EQ(matrix.cols(), cols);
    EXPECT_EQ(matrix.stride(), cols <= kRow ? kRow : 2 * kRow);
    for (size_t row = 0; row < 3; ++row) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(matrix.Row(row)) % 64, 0u);
      EXPECT_EQ(matrix.Row(row), matrix.data() + row * matrix.stride());
    }
    for (size_t i = 0; i < matrix.size(); ++i) EXPECT_EQ(matrix.data()[i], 0);
  }
}

TEST(MatrixTest, DenseRowsFollowOneAnother) {
  Matrix<float> matrix(2, 3);
  EXPECT_EQ(matrix.stride(), 3u);
  EXPECT_EQ(matrix.Row(1), matrix.data() + 3);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(matrix.data()) % 64, 0u);
  matrix.Fill(7);
  EXPECT_EQ(matrix.Row(1)[2], 7);
}

TEST(MatrixTest, ResizeKeepsMemoryThatIsLargeEnough) {
  Matrix<double> matrix(4, 5);
  const double* const memory = matrix.data();
  matrix.Resize(2, 10);
  EXPECT_EQ(matrix.data(), memory);
  EXPECT_EQ(matrix.stride(), 10u);
  matrix.Resize(1, 3);
  matrix.Resize(5, 4);
  EXPECT_EQ(matrix.data(), memory);
  matrix.Resize(50, 40);
  EXPECT_EQ(matrix.size(), 2000u);
  matrix.Fill(1);
  EXPECT_EQ(matrix.Row(49)[39], 1);
}

TEST(MatrixTest, ViewOfAPartIsInTheSameMemory) {
  PaddedMatrix matrix(4, 3);
  const View<float> part = matrix.view().Rows(1, 2).Cols(2, 1);
  EXPECT_EQ(part.rows(), 2u);
  EXPECT_EQ(part.cols(), 1u);
  part.Row(1)[0] = 5;
  EXPECT_EQ(matrix.Row(2)[2], 5);
  const ConstView<float> to_read = part;
  EXPECT_EQ(to_read.Row(1)[0], 5);
  EXPECT_TRUE(part.Cols(0, 0).empty());
}

TEST(MatrixTest, LargeOnesTakeMemoryWhereTheyAreTouched) {
  constexpr size_t kRows = size_t{1} << 18, kMiB = size_t{1} << 20;
  const uint64_t before = ResidentMemoryBytes();
  Matrix<float> matrix(kRows, 64);  // 64 MiB
  EXPECT_LT(ResidentMemoryBytes(), before + 16 * kMiB);
  EXPECT_EQ(matrix.Row(kRows - 1)[63], 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(matrix.data()) % (2 * kMiB), 0u);
  matrix.Fill(1);
  EXPECT_GE(ResidentMemoryBytes(), before + 60 * kMiB);
}

}  // namespace
}  // namespace firth
