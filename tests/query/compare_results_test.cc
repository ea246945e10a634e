#include <cmath>
#include <vector>

#include "absl/status/status.h"
#include "base/rng.h"
#include "firth/evaluate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

constexpr AnalogyOutcome kNotAsked = AnalogyOutcome::kNotAsked;
constexpr AnalogyOutcome kWrong = AnalogyOutcome::kWrong;
constexpr AnalogyOutcome kRight = AnalogyOutcome::kRight;

AnalogyResult Outcomes(const std::vector<AnalogyOutcome>& first_section,
                       const std::vector<AnalogyOutcome>& second_section) {
  AnalogyResult result;
  result.sections.resize(2);
  result.sections[0].name = "one";
  result.sections[0].total = first_section.size();
  result.sections[1].name = "two";
  result.sections[1].total = second_section.size();
  result.outcomes = first_section;
  result.outcomes.insert(result.outcomes.end(), second_section.begin(),
                         second_section.end());
  result.total = result.outcomes.size();
  return result;
}

TEST(CompareAnalogiesTest, CountsWhatBothWereAskedAndTestsWhereTheyDiffer) {
  const AnalogyResult first =
      Outcomes({kRight, kRight, kWrong, kNotAsked},
               {kRight, kWrong, kWrong, kWrong, kWrong, kWrong, kWrong});
  const AnalogyResult second =
      Outcomes({kRight, kWrong, kNotAsked, kRight},
               {kWrong, kRight, kRight, kRight, kRight, kRight, kRight});
  const auto compared = Compare(first, second);
  ASSERT_TRUE(compared.ok());
  ASSERT_EQ(compared->size(), 3u);
  const PairedAccuracy& one = (*compared)[0];
  EXPECT_EQ(one.section, "one");
  EXPECT_EQ(one.asked, 2u);
  EXPECT_EQ(one.correct[0], 2u);
  EXPECT_EQ(one.correct[1], 1u);
  EXPECT_NEAR(one.p, 1, 1e-12) << "one coin";
  // Seven coins, one head: 2 (1 + 7) / 128.
  EXPECT_NEAR((*compared)[1].p, 0.125, 1e-12);
  // Eight coins, two heads: 2 (1 + 8 + 28) / 256.
  EXPECT_EQ((*compared)[2].section, "total");
  EXPECT_EQ((*compared)[2].asked, 9u);
  EXPECT_NEAR((*compared)[2].p, 74.0 / 256, 1e-12);
}

TEST(CompareAnalogiesTest, EqualModelsDifferByChance) {
  const AnalogyResult result = Outcomes({kRight, kWrong}, {kRight});
  const auto compared = Compare(result, result);
  ASSERT_TRUE(compared.ok());
  for (const PairedAccuracy& section : *compared) EXPECT_EQ(section.p, 1);
  EXPECT_TRUE(absl::IsInvalidArgument(
      Compare(result, Outcomes({kRight}, {kRight})).status()));
}

TEST(CompareAnalogiesTest, ManyQuestionsDoNotOverflow) {
  std::vector<AnalogyOutcome> a(20000, kRight), b(20000, kRight);
  for (size_t i = 0; i < 10000; ++i) (i < 5200 ? a : b)[i] = kWrong;
  const auto compared = Compare(Outcomes(a, {}), Outcomes(b, {}));
  ASSERT_TRUE(compared.ok());
  // 400 more of 10,000: four standard deviations of 50, twice, with the
  // correction for continuity: erfc(3.99 / sqrt 2).
  EXPECT_NEAR(compared->back().p, std::erfc(3.99 / std::sqrt(2.0)), 5e-7);
}

// Scores of n pairs, and cosines that follow them but for noise.
SimilarityResult Noisy(size_t n, uint64_t scores_seed, double noise,
                       uint64_t noise_seed) {
  SimilarityResult result;
  Rng scores(scores_seed), rng(noise_seed);
  for (size_t i = 0; i < n; ++i) {
    result.scores.push_back(scores.NextFloat());
    result.cosines.push_back(result.scores.back() + noise * rng.NextFloat());
  }
  return result;
}

TEST(CompareSimilarityTest, EquallyGoodModelsDifferInOneOfTwentyTests) {
  int differ = 0;
  constexpr int kTrials = 200;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto compared = Compare(Noisy(60, trial, 1.0, 1000 + trial),
                                  Noisy(60, trial, 1.0, 2000 + trial));
    ASSERT_TRUE(compared.ok());
    differ += compared->p < 0.05;
  }
  // Ten are expected, with a standard deviation of three.
  EXPECT_GE(differ, 1);
  EXPECT_LE(differ, 22);
}

TEST(CompareSimilarityTest, FindsABetterModelAmongWhatBothKnow) {
  SimilarityResult good = Noisy(200, 1, 0.3, 2);
  SimilarityResult poor = Noisy(200, 1, 3.0, 3);
  good.cosines[0] = poor.cosines[1] = std::nan("");
  const auto compared = Compare(poor, good);
  ASSERT_TRUE(compared.ok());
  EXPECT_EQ(compared->asked, 198u);
  EXPECT_LT(compared->spearman[0], compared->spearman[1]);
  EXPECT_LT(compared->p, 0.001);
  EXPECT_GT(compared->p, 0);
}

TEST(CompareSimilarityTest, TheSameModelDoesNotDiffer) {
  const SimilarityResult result = Noisy(30, 4, 1.0, 5);
  const auto compared = Compare(result, result);
  ASSERT_TRUE(compared.ok());
  EXPECT_EQ(compared->p, 1);
  EXPECT_TRUE(
      absl::IsInvalidArgument(Compare(result, Noisy(30, 5, 1.0, 5)).status()));
  const SimilarityResult none;
  EXPECT_EQ(Compare(none, none)->p, 1);
}

}  // namespace
}  // namespace firth
