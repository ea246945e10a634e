#include "classify/precision_at_recall.h"

#include "gtest/gtest.h"

namespace firth {
namespace {

// Sorted by probability: right, wrong, right, right, wrong, right.
const std::vector<float> kProbabilities = {0.9f, 0.8f, 0.7f, 0.6f, 0.5f, 0.4f};
const std::vector<bool> kGold = {true, false, true, true, false, true};

TEST(PrecisionAtRecallTest, IsTheBestOfAllThresholdsThatFindEnough) {
  EXPECT_DOUBLE_EQ(PrecisionAtRecall(kProbabilities, kGold, 0.25), 1);
  EXPECT_DOUBLE_EQ(PrecisionAtRecall(kProbabilities, kGold, 0.5), 3.0 / 4);
  EXPECT_DOUBLE_EQ(PrecisionAtRecall(kProbabilities, kGold, 0.75), 3.0 / 4);
  EXPECT_DOUBLE_EQ(PrecisionAtRecall(kProbabilities, kGold, 0.9), 4.0 / 6);
}

TEST(PrecisionAtRecallTest, NoThresholdPartsWhatIsEquallyProbable) {
  EXPECT_DOUBLE_EQ(
      PrecisionAtRecall({0.5f, 0.5f, 0.5f}, {true, false, false}, 0.5),
      1.0 / 3);
}

TEST(PrecisionAtRecallTest, OfALabelThatNothingHasIsNothing) {
  EXPECT_EQ(PrecisionAtRecall({0.5f, 0.1f}, {false, false}, 0.5), 0);
}

}  // namespace
}  // namespace firth
