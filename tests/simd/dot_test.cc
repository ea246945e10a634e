#include "simd/stored_rows.h"

#include <memory>
#include <vector>

#include "base/float16.h"
#include "gtest/gtest.h"
#include "support/reference.h"
#include "support/targets.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

constexpr size_t kMaxDim = 67;

float Dot(const float* a, const float* b, size_t dim) {
  float score;
  DotRows(a, b, 1, dim, dim, &score);
  return score;
}

TEST(DotTest, EqualsPlainLoopForAnyLengthAndAlignment) {
  const std::vector<float> a = RandomFloats(kMaxDim + 3, 1);
  const std::vector<float> b = RandomFloats(kMaxDim + 3, 2);
  ForEachTarget([&] {
    for (size_t dim = 0; dim <= kMaxDim; ++dim) {
      for (size_t offset = 0; offset < 3; ++offset) {
        const absl::Span<const float> x(a.data() + offset, dim);
        const absl::Span<const float> y(b.data() + 3 - offset, dim);
        EXPECT_NEAR(Dot(x.data(), y.data(), dim), reference::Dot(x, y),
                    reference::DotTolerance(x, y))
            << "dim " << dim << " offset " << offset;
      }
    }
  });
}

TEST(DotTest, ReadsNothingBesideTheVectors) {
  ForEachTarget([] {
    for (size_t dim = 1; dim <= kMaxDim; ++dim) {
      // On the heap and of the exact size, where AddressSanitizer sees the
      // borders; a NaN beside the rows would show in the sums.
      const std::unique_ptr<float[]> ones(new float[dim]);
      for (size_t i = 0; i < dim; ++i) ones[i] = 1;
      EXPECT_EQ(Dot(ones.get(), ones.get(), dim), static_cast<float>(dim));
    }
  });
}

TEST(DotRowsTest, EqualsPlainLoopForEveryDimAndNumberOfRows) {
  constexpr size_t kMaxRows = 9, kGap = 2;
  ForEachTarget([] {
    for (size_t dim = 1; dim <= kMaxDim; ++dim) {
      const size_t stride = dim + kGap;
      const std::vector<float> query = RandomFloats(dim, dim);
      const std::vector<float> rows = RandomFloats(kMaxRows * stride, 100);
      for (size_t num_rows = 0; num_rows <= kMaxRows; ++num_rows) {
        std::vector<float> scores(kMaxRows, -7);
        DotRows(query.data(), rows.data(), num_rows, stride, dim,
                scores.data());
        for (size_t row = 0; row < kMaxRows; ++row) {
          const absl::Span<const float> y(rows.data() + row * stride, dim);
          const double expected =
              row < num_rows ? reference::Dot(query, y) : -7;
          EXPECT_NEAR(scores[row], expected, reference::DotTolerance(query, y))
              << "dim " << dim << " row " << row << " of " << num_rows;
        }
      }
    }
  });
}

TEST(DotRowsTest, ScoreDoesNotDependOnThePlaceInTheRun) {
  constexpr size_t kRows = 7;
  ForEachTarget([] {
    for (size_t dim = 1; dim <= kMaxDim; ++dim) {
      const std::vector<float> query = RandomFloats(dim, 1);
      const std::vector<float> rows = RandomFloats(kRows * dim, 2);
      std::vector<float> scores(kRows);
      DotRows(query.data(), rows.data(), kRows, dim, dim, scores.data());
      for (size_t row = 0; row < kRows; ++row) {
        EXPECT_EQ(Dot(query.data(), rows.data() + row * dim, dim), scores[row])
            << "dim " << dim << " row " << row;
      }
    }
  });
}

// Rows of other numbers against the same rows as floats, which their numbers
// are exactly.
template <class Number, class MakeNumber, class ToFloat>
void ExpectDotsOf(const MakeNumber& make_number, const ToFloat& to_float) {
  constexpr size_t kRows = 5, kGap = 1;
  ForEachTarget([&] {
    for (size_t dim = 1; dim <= kMaxDim; ++dim) {
      const size_t stride = dim + kGap;
      const std::vector<float> query = RandomFloats(dim, dim);
      std::vector<Number> rows;
      std::vector<float> floats;
      for (const float value : RandomFloats(kRows * stride - kGap, dim + 1)) {
        rows.push_back(make_number(value));
        floats.push_back(to_float(rows.back()));
      }
      std::vector<float> scores(kRows);
      DotRows(query.data(), rows.data(), kRows, stride, dim, scores.data());
      for (size_t row = 0; row < kRows; ++row) {
        const absl::Span<const float> y(floats.data() + row * stride, dim);
        EXPECT_NEAR(scores[row], reference::Dot(query, y),
                    reference::DotTolerance(query, y))
            << "dim " << dim << " row " << row;
        float alone;
        DotRows(query.data(), rows.data() + row * stride, 1, stride, dim,
                &alone);
        EXPECT_EQ(alone, scores[row]) << "dim " << dim << " row " << row;
      }
    }
  });
}

TEST(DotRowsTest, Float16RowsEqualPlainLoop) {
  ExpectDotsOf<uint16_t>(ToFloat16Bits, [](uint16_t bits) {
    float value;
    WidenFloat16(&bits, 1, &value);
    return value;
  });
}

TEST(DotRowsTest, RowsOfBytesEqualPlainLoop) {
  ExpectDotsOf<int8_t>(
      [](float value) { return static_cast<int8_t>(127 * value); },
      [](int8_t code) { return static_cast<float>(code); });
}

}  // namespace
}  // namespace firth
