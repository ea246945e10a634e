#include "simd/query_batch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/matrix.h"
#include "gtest/gtest.h"
#include "support/reference.h"
#include "support/targets.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Panel {
  explicit Panel(size_t dim)
      : queries(RandomFloats(kPanelQueries * dim, dim)),
        packed(dim, kPanelQueries) {
    for (size_t q = 0; q < kPanelQueries; ++q) {
      for (size_t i = 0; i < dim; ++i) {
        packed.Row(i)[q] = queries[q * dim + i];
      }
    }
  }
  std::vector<float> queries;  // [kPanelQueries, dim]
  PaddedMatrix packed;         // [dim, kPanelQueries]
};

TEST(DotPanelTest, EqualsPlainLoopForEveryDimAndNumberOfRows) {
  constexpr size_t kMaxRows = 26, kGap = 2;
  ForEachTarget([] {
    for (size_t dim = 1; dim <= 67; ++dim) {
      const Panel panel(dim);
      const size_t stride = dim + kGap;
      const std::vector<float> rows = RandomFloats(kMaxRows * stride, 100);
      const std::vector<float> scales = RandomFloats(kMaxRows, 3);
      const std::vector<float> penalties = RandomFloats(kMaxRows, 4);
      PaddedMatrix thresholds(1, kPanelQueries);
      std::fill_n(thresholds.data(), kPanelQueries, kInfinity);
      const std::vector<float> never(kMaxRows, kInfinity);
      for (const size_t num_rows : {size_t{0}, size_t{1}, kMaxRows}) {
        PaddedMatrix scores(kMaxRows, kPanelQueries);
        uint32_t hits[kMaxRows];
        EXPECT_EQ(
            DotPanel(panel.packed.data(), rows.data(), num_rows, stride, dim,
                     scales.data(), penalties.data(), thresholds.data(),
                     dim % 2 == 0 ? never.data() : nullptr, scores.data(),
                     hits),
            0u);
        for (size_t row = 0; row < kMaxRows; ++row) {
          const absl::Span<const float> x(rows.data() + row * stride, dim);
          for (size_t q = 0; q < kPanelQueries; ++q) {
            const absl::Span<const float> y(panel.queries.data() + q * dim,
                                            dim);
            const double expected =
                row < num_rows
                    ? reference::Dot(x, y) * scales[row] - penalties[row]
                    : 0;
            EXPECT_NEAR(scores.Row(row)[q], expected,
                        reference::DotTolerance(x, y) + 1e-7)
                << "dim " << dim << " row " << row << " of " << num_rows;
          }
        }
      }
    }
  });
}

TEST(DotPanelTest, ListsTheRowsThatReachAThreshold) {
  constexpr size_t kRows = 31, kDim = 5;
  const Panel panel(kDim);
  const std::vector<float> rows = RandomFloats(kRows * kDim, 9);
  const std::vector<float> scales(kRows, 1.0f), penalties(kRows, 0.0f);
  ForEachTarget([&] {
    for (size_t query = 0; query < kPanelQueries; ++query) {
      PaddedMatrix thresholds(1, kPanelQueries), scores(kRows, kPanelQueries);
      std::fill_n(thresholds.data(), kPanelQueries, kInfinity);
      thresholds.data()[query] = 0.25f;
      uint32_t hits[kRows];
      const size_t num_hits = DotPanel(
          panel.packed.data(), rows.data(), kRows, kDim, kDim, scales.data(),
          penalties.data(), thresholds.data(), nullptr, scores.data(), hits);
      std::vector<uint32_t> expected;
      for (uint32_t row = 0; row < kRows; ++row) {
        if (scores.Row(row)[query] >= 0.25f) expected.push_back(row);
      }
      EXPECT_EQ(std::vector<uint32_t>(hits, hits + num_hits), expected);
      EXPECT_FALSE(expected.empty());
    }
  });
}

TEST(DotPanelTest, ListsTheRowsThatReachTheirOwnThreshold) {
  constexpr size_t kRows = 31, kDim = 5;
  const Panel panel(kDim);
  const std::vector<float> rows = RandomFloats(kRows * kDim, 9);
  const std::vector<float> scales(kRows, 1.0f), penalties(kRows, 0.0f);
  ForEachTarget([&] {
    for (uint32_t wanted = 0; wanted < kRows; ++wanted) {
      PaddedMatrix thresholds(1, kPanelQueries), scores(kRows, kPanelQueries);
      std::fill_n(thresholds.data(), kPanelQueries, kInfinity);
      std::vector<float> row_thresholds(kRows, kInfinity);
      uint32_t hits[kRows];
      const auto count_hits = [&] {
        return DotPanel(panel.packed.data(), rows.data(), kRows, kDim, kDim,
                        scales.data(), penalties.data(), thresholds.data(),
                        row_thresholds.data(), scores.data(), hits);
      };
      EXPECT_EQ(count_hits(), 0u);
      const float* const own = scores.Row(wanted);
      const float best = *std::max_element(own, own + kPanelQueries);
      row_thresholds[wanted] = best;
      EXPECT_EQ(count_hits(), 1u);
      EXPECT_EQ(hits[0], wanted);
      row_thresholds[wanted] = std::nextafter(best, kInfinity);
      EXPECT_EQ(count_hits(), 0u);
    }
  });
}

// What is not finite in a row without a scale does not reach its scores.
TEST(DotPanelTest, ARowWithoutAScaleHasItsPenaltyOnly) {
  constexpr size_t kDim = 3;
  const Panel panel(kDim);
  const std::vector<float> row = {kInfinity, -kInfinity, 1};
  PaddedMatrix thresholds(1, kPanelQueries), scores(1, kPanelQueries);
  const float scale = 0, penalty = 0.25f;
  uint32_t hit;
  ForEachTarget([&] {
    DotPanel(panel.packed.data(), row.data(), 1, kDim, kDim, &scale, &penalty,
             thresholds.data(), &kInfinity, scores.data(), &hit);
    for (size_t q = 0; q < kPanelQueries; ++q) {
      EXPECT_EQ(scores.data()[q], -0.25f);
    }
  });
}

}  // namespace
}  // namespace firth
