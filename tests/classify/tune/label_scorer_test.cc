#include <cmath>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/json.h"
#include "classify/tune/label_scorer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

LabelledText TextOf(std::vector<std::string> labels,
                    std::string text = "word") {
  return {.labels = std::move(labels), .text = std::move(text)};
}

// The most probable label is found.
void AddOne(LabelScorer* scorer, const LabelledText& text,
            const std::vector<float>& probabilities) {
  const auto best = absl::c_max_element(probabilities);
  scorer->Add(text, probabilities,
              {{static_cast<size_t>(best - probabilities.begin()), *best}});
}

LabelScores ScoresOfThreeLabels() {
  LabelScorer scorer({"a", "b", "c"}, /*independent=*/false);
  AddOne(&scorer, TextOf({"a"}), {.7f, .2f, .1f});
  AddOne(&scorer, TextOf({"a"}), {.55f, .25f, .2f});
  AddOne(&scorer, TextOf({"a"}), {.2f, .5f, .3f});
  AddOne(&scorer, TextOf({"b"}), {.1f, .85f, .05f});
  AddOne(&scorer, TextOf({"b"}), {.4f, .35f, .25f});
  AddOne(&scorer, TextOf({"c"}), {.1f, .2f, .7f});
  AddOne(&scorer, TextOf({"c"}), {.05f, .05f, .9f});
  AddOne(&scorer, TextOf({"c"}, " \u3000"), {.45f, .1f, .45f});
  return scorer.Finish();
}

// accuracy_score, f1_score, log_loss, precision_recall_fscore_support and
// confusion_matrix of scikit-learn 1.2.1 say so.
TEST(LabelScorerTest, OneLabelATextEqualsScikitLearn) {
  const LabelScores scores = ScoresOfThreeLabels();
  EXPECT_EQ(scores.texts, 8u);
  EXPECT_EQ(scores.without_words, 1u);
  EXPECT_EQ(scores.correct, 5u);
  EXPECT_EQ(scores.accuracy(), .625);
  EXPECT_NEAR(scores.macro_f1, .6238095238095239, 1e-12);
  EXPECT_EQ(scores.all.f1(), .625);
  EXPECT_NEAR(scores.log_loss, .6296042632982521, 1e-6);
  EXPECT_THAT(scores.confusion, ElementsAre(2, 1, 0, 1, 1, 0, 1, 0, 2));
  EXPECT_THAT(scores.outcomes,
              ElementsAre(true, true, false, true, false, true, true, false));
  const double precision[] = {.5, .5, 1};
  const double recall[] = {2 / 3.0, .5, 2 / 3.0};
  const double f1[] = {4 / 7.0, .5, .8};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(scores.counts[i].precision(), precision[i], 1e-12) << i;
    EXPECT_NEAR(scores.counts[i].recall(), recall[i], 1e-12) << i;
    EXPECT_NEAR(scores.counts[i].f1(), f1[i], 1e-12) << i;
  }
  const Interval wilson = WilsonInterval(5, 8);
  EXPECT_EQ(scores.accuracy_interval.low, wilson.low);
  EXPECT_EQ(scores.accuracy_interval.high, wilson.high);
}

// By hand: the sums of probabilities less texts that are right in the bins are
// .85 - 0 (of .4 and .45), 1.05 - 1 (of .55 and .5), twice .7 less 2, and 1.75
// less 2 (of .85 and .9); one .7 is below it as a float.
TEST(LabelScorerTest, CalibrationErrorIsTheDifferenceInTenBins) {
  const LabelScores scores = ScoresOfThreeLabels();
  EXPECT_NEAR(scores.calibration_error, .21875, 1e-6);
  ASSERT_EQ(scores.calibration.size(), 10u);
  EXPECT_EQ(scores.calibration[4].texts, 2u);
  EXPECT_EQ(scores.calibration[4].correct, 0u);
  EXPECT_NEAR(scores.calibration[4].probability, .425, 1e-6);
  EXPECT_EQ(scores.calibration[5].correct, 1u);
}

TEST(LabelScorerTest, AProbabilityOfOneIsInTheLastBin) {
  LabelScorer scorer({"a", "b"}, /*independent=*/false);
  AddOne(&scorer, TextOf({"a"}), {1.000001f, 0});
  AddOne(&scorer, TextOf({"b"}), {0, 1});
  const LabelScores scores = scorer.Finish();
  EXPECT_EQ(scores.calibration[9].texts, 2u);
  EXPECT_NEAR(scores.calibration_error, 0, 1e-6);
  EXPECT_NEAR(scores.log_loss, 0, 1e-6);
}

// As scikit-learn 1.2.1 says of the indicator matrices; the loss is the sum of
// the labels' binary ones.
TEST(LabelScorerTest, SeveralLabelsATextEqualScikitLearn) {
  LabelScorer scorer({"a", "b", "c"}, /*independent=*/true);
  scorer.Add(TextOf({"a", "c"}), {.8f, .1f, .6f}, {{0, .8f}, {2, .6f}});
  scorer.Add(TextOf({"b"}), {.3f, .9f, .2f}, {{1, .9f}});
  scorer.Add(TextOf({"a", "b"}), {.7f, .4f, .1f}, {{0, .7f}});
  scorer.Add(TextOf({}), {.2f, .1f, .6f}, {{2, .6f}});
  const LabelScores scores = scorer.Finish();
  EXPECT_EQ(scores.accuracy(), .5);
  EXPECT_NEAR(scores.macro_f1, .7777777777777777, 1e-12);
  EXPECT_NEAR(scores.all.f1(), .8, 1e-12);
  EXPECT_NEAR(scores.log_loss, 1.0369074387499952, 1e-6);
  // Of the one text with one label.
  EXPECT_THAT(scores.confusion, ElementsAre(0, 0, 0, 0, 1, 0, 0, 0, 0));
}

TEST(LabelScorerTest, UnknownLabelsAreCountedAndNeverFound) {
  LabelScorer scorer({"a", "b"}, /*independent=*/false);
  AddOne(&scorer, TextOf({"x"}), {.75f, .25f});
  AddOne(&scorer, TextOf({"a"}), {.75f, .25f});
  const LabelScores scores = scorer.Finish();
  EXPECT_THAT(scores.labels, ElementsAre("a", "b", "x"));
  EXPECT_EQ(scores.counts[2].gold, 1u);
  EXPECT_EQ(scores.counts[2].found, 0u);
  EXPECT_THAT(scores.confusion, ElementsAre(1, 0, 0, 0, 0, 0, 1, 0, 0));
  // f1 of a is 2 / 3, of x 0; nobody has b.
  EXPECT_NEAR(scores.macro_f1, 1 / 3.0, 1e-12);
  EXPECT_NEAR(scores.log_loss, (23 * std::log(2) - std::log(.75)) / 2, 1e-6);
}

TEST(LabelScorerTest, ManyLabelsHaveNoConfusion) {
  std::vector<std::string> labels;
  for (int i = 0; i < 1001; ++i) labels.push_back(std::to_string(i));
  LabelScorer scorer(labels, /*independent=*/false);
  AddOne(&scorer, TextOf({"7"}), std::vector<float>(1001, .001f));
  const LabelScores scores = scorer.Finish();
  EXPECT_THAT(scores.confusion, IsEmpty());
  EXPECT_TRUE(ParseJson(LabelScoresJson(scores))["confusion"].is_null());
}

TEST(LabelScorerTest, TheReportIsJson) {
  const Json json = ParseJson(LabelScoresJson(ScoresOfThreeLabels()));
  EXPECT_EQ(json["accuracy"], .625);
  EXPECT_EQ(json["micro"]["correct"], 5);
  EXPECT_EQ(json["labels"][1]["label"], "b");
  EXPECT_EQ(json["labels"][1]["precision"], .5);
  EXPECT_EQ(json["confusion"], Json({{2, 1, 0}, {1, 1, 0}, {1, 0, 2}}));
  EXPECT_EQ(json["calibration"][8]["texts"], 2);
}

TEST(LabelScorerTest, OutcomesArePairedForMcNemar) {
  // The first is right alone once, the second 9 times; both are 5 times: twice
  // 11 of 1,024.
  std::vector<bool> first(15, false), second(15, true);
  first[0] = true;
  second[0] = false;
  for (size_t i = 10; i < 15; ++i) first[i] = true;
  EXPECT_NEAR(McNemarP(first, second), 22 / 1024.0, 1e-12);
}

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
