#include "nn/positions.h"

#include "gtest/gtest.h"
#include "support/golden_data.h"

namespace firth::nn {
namespace {

TEST(PositionsTest, SinusoidsAgreeWithGoldenData) {
  const GoldenFile golden("positions");
  if (!golden.here()) GTEST_SKIP() << "FIRTH_DATA is not set";
  Matrix<float> few(64, 16);
  FillSinusoids(few.view());
  ExpectClose<float>(few.view(), golden.Read<float>("sinusoidal.64x16").view(),
                     1e-6, "64");
  Matrix<double> many(512, 6);
  FillSinusoids(many.view());
  ExpectClose<double>(many.view(),
                      golden.Read<double>("sinusoidal.512x6.f64").view(), 1e-12,
                      "512");
}

TEST(PositionsTest, BucketsOfWaysAgreeWithGoldenData) {
  const GoldenFile golden("positions");
  if (!golden.here()) GTEST_SKIP() << "FIRTH_DATA is not set";
  const Matrix<double> ways = golden.Read<double>("t5.rel");
  const Matrix<double> both = golden.Read<double>("t5.bucket.bidirectional");
  const Matrix<double> causal = golden.Read<double>("t5.bucket.causal");
  ASSERT_GT(ways.size(), 0u);
  for (size_t i = 0; i < ways.size(); ++i) {
    const auto way = static_cast<ptrdiff_t>(ways.data()[i]);
    EXPECT_EQ(WayBucket(way, false), both.data()[i]) << way;
    EXPECT_EQ(WayBucket(way, true), causal.data()[i]) << way;
  }
}

TEST(PositionsTest, BiasesStandAtTheirOffsets) {
  RelativeBias<double> bias(2, 20, /*causal=*/false, "ways");
  ParameterList<double> list;
  bias.AppendParameters(&list);
  for (size_t i = 0; i < list[0]->value.size(); ++i) {
    list[0]->value.data()[i] = static_cast<double>(i);
  }
  bias.Spread();
  for (const ptrdiff_t offset : {-20, -1, 0, 1, 20}) {
    const double expected =
        2 * static_cast<double>(WayBucket(offset, false)) + 1;
    EXPECT_EQ(bias.Rising(1)[offset], expected);
    EXPECT_EQ(bias.Falling(1)[-offset], expected);
    bias.RisingGradient(1)[offset] += 1;
    bias.FallingGradient(1)[-offset] += 2;
    bias.Gather();
    EXPECT_EQ(list[0]->gradient.Row(WayBucket(offset, false))[1], 3);
    list[0]->gradient.Clear();
  }
}

}  // namespace
}  // namespace firth::nn
