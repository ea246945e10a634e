#include <string>

#include "classify/tune/option_space.h"
#include "firth/fields.h"
#include "firth/tune.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

TEST(TuneMetricTest, IsReadAndWritten) {
  for (const std::string text :
       {"accuracy", "macro-f1", "micro-f1", "precision@recall=0.9:spam",
        "precision@recall=0.25:a:b"}) {
    TuneMetric metric;
    EXPECT_TRUE(ParseTuneMetric(text, &metric)) << text;
    EXPECT_EQ(TuneMetricText(metric), text);
  }
  TuneMetric metric;
  ASSERT_TRUE(ParseTuneMetric("precision@recall=.9:a:b", &metric));
  EXPECT_EQ(metric.kind, TuneMetric::Kind::kPrecisionAtRecall);
  EXPECT_EQ(metric.recall, 0.9);
  EXPECT_EQ(metric.label, "a:b");
}

TEST(TuneMetricTest, RefusesWhatIsNone) {
  for (const std::string text :
       {"", "f1", "Accuracy", "precision@recall=.9",
        "precision@recall=.9:", "precision@recall=0:a", "precision@recall=1:a",
        "precision@recall=nan:a", "precision@recall=x:a",
        "precision@recall=-.5:a", "precision@recall=1e-1:a"}) {
    TuneMetric metric;
    EXPECT_FALSE(ParseTuneMetric(text, &metric)) << text;
    EXPECT_EQ(metric.kind, TuneMetric::Kind::kAccuracy);
  }
}

TEST(TokenBudgetTest, IsTokensOrATimeThatIsNoClocks) {
  const std::pair<const char*, uint64_t> kCases[] = {
      {"0", 0},     {"7", 7},    {"20K", 20000}, {"200M", 2e8}, {"1.5G", 1.5e9},
      {"90s", 9e7}, {"5m", 3e8}, {"2h", 7.2e9},  {"0.5m", 3e7}};
  for (const auto& [text, tokens] : kCases) {
    uint64_t read = 1;
    EXPECT_TRUE(ParseTokenBudget(text, &read)) << text;
    EXPECT_EQ(read, tokens) << text;
  }
}

TEST(TokenBudgetTest, RefusesWhatIsNeither) {
  for (const char* text : {"", "m", "5k", "5 m", "-5m", "5min", "1e9", "nan",
                           "inf", "0x10", "0m", "99999999999h", "5mm"}) {
    uint64_t tokens = 3;
    EXPECT_FALSE(ParseTokenBudget(text, &tokens)) << text;
    EXPECT_EQ(tokens, 3);
  }
}

TEST(TuneOptionsTest, AreCheckedAndReadFromJson) {
  const auto options = ReadFieldsJson<TuneOptions>(
      R"({"metric": "macro-f1", "budget": "5m", "folds": 3})");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->budget_tokens, 300 * kTokensPerSecond);
  EXPECT_EQ(options->metric.kind, TuneMetric::Kind::kMacroF1);
  EXPECT_THAT(FieldsJson(*options), testing::HasSubstr("\"300M\""));
  TuneOptions one_fold;
  one_fold.folds = 1;
  EXPECT_EQ(one_fold.Validate().message(), "folds: expected 2 to 100, found 1");
}

class OptionSpaceTest : public testing::Test {
 protected:
  OptionSpaceTest() {
    resolved_.dim = 32;
    resolved_.learning_rate = 0.5;
    resolved_.l2 = 1e-4;
  }

  // Hands out many draws.
  template <class Check>
  void ForDraws(const OptionSpace& space, const Check& check) {
    Rng rng(7);
    for (int i = 0; i < 300; ++i) check(space.Draw({}, 1, &rng));
  }

  static constexpr uint64_t kTokens = 10000000;
  ClassifierOptions resolved_;
};

TEST_F(OptionSpaceTest, WhatIsFixedStays) {
  const ClassifierOptions start;
  const OptionSpace space(start, resolved_, kTokens, {}, {},
                          {"word-ngrams", "min-n", "epochs", "parts"});
  ForDraws(space, [&](const ClassifierOptions& drawn) {
    EXPECT_EQ(drawn.word_ngrams, start.word_ngrams);
    EXPECT_EQ(drawn.min_n, start.min_n);
    EXPECT_EQ(drawn.max_n, start.max_n);
    EXPECT_EQ(drawn.epochs, 0);
    EXPECT_EQ(drawn.parts, start.parts);
    EXPECT_EQ(drawn.class_weights, ClassWeights::kNone);  // of no use here
    EXPECT_NE(OptionKey(drawn), OptionKey(start));
  });
}

TEST_F(OptionSpaceTest, NumbersAreDrawnAroundTheAutomaticOnes) {
  const OptionSpace space({}, resolved_, kTokens, {}, {}, {});
  double least = 1;
  double most = 0;
  ForDraws(space, [&](const ClassifierOptions& drawn) {
    // 5 are automatic for so many tokens.
    EXPECT_LE(drawn.epochs, 15);
    if (drawn.l2 == 0) return;
    least = std::min(least, drawn.l2);
    most = std::max(most, drawn.l2);
  });
  EXPECT_NEAR(std::log10(least), -5, 0.2);
  EXPECT_NEAR(std::log10(most), -3, 0.2);
}

TEST_F(OptionSpaceTest, ALossOfTheDeepPartKeepsIt) {
  ClassifierOptions start;
  start.loss = TreeLabelLoss();
  start.parts = ClassifierParts::kDeep;
  const OptionSpace space(start, resolved_, kTokens, {}, {}, {});
  Rng rng(7);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(space.Draw(start, 1, &rng).parts, ClassifierParts::kDeep);
  }
}

TEST_F(OptionSpaceTest, WhereAllIsFixedThereIsNothingToDraw) {
  const OptionSpace space(
      {}, resolved_, kTokens, {}, {},
      {"lowercase", "split-punctuation", "word-ngrams", "min-n", "min-count",
       "parts", "dim", "epochs", "learning-rate", "l2"});
  Rng rng(7);
  EXPECT_EQ(OptionKey(space.Draw({}, 1, &rng)), OptionKey({}));
}

}  // namespace
}  // namespace firth
