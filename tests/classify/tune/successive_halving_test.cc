// The search for options, with made-up scores in place of trainings: what is
// best is known, and so is what each trial costs.

#include "classify/tune/successive_halving.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "classify/tune/option_space.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr uint64_t kTokens = 1000;  // of all texts

// One number is searched for, l2; the best is 0.01. Each fold likes another one
// a bit better, so that one fold alone is not enough.
double MadeUpScore(const ClassifierOptions& options, size_t fold) {
  constexpr double kTastes[] = {0.4, -0.1, -0.3, 0.1, -0.1};  // sum 0
  const double off = std::log10(options.l2) + 2 + kTastes[fold % 5];
  return 0.9 - 0.1 * off * off;
}

class TournamentTest : public testing::Test {
 protected:
  TournamentTest() {
    start_.l2 = 1;
    tournament_.folds = 5;
    tournament_.budget_tokens = 200 * kTokens;
    tournament_.memory_bytes = 1000;
    tournament_.measure = [this](const ClassifierOptions& options, size_t fold,
                                 double share) -> absl::StatusOr<Measured> {
      measured_ += 1;
      const auto tokens = static_cast<uint64_t>(kTokens * share);
      return Measured{MadeUpScore(options, fold), tokens, 0, ""};
    };
    tournament_.tokens = [](const ClassifierOptions&) { return kTokens; };
    tournament_.memory = [](const ClassifierOptions&) { return 10; };
    tournament_.draw = [](const ClassifierOptions& from, double spread,
                          Rng* rng) {
      ClassifierOptions options = from;
      options.l2 *= std::pow(10, 8 * spread * (rng->NextFloat() - 0.5));
      return options;
    };
  }

  TuneReport Run() {
    auto report = RunTournament(tournament_, start_, hooks_, on_trial_);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() ? *report : TuneReport();
  }

  static double BestL2(const TuneReport& report) {
    return report.trials[report.best].options.l2;
  }

  ClassifierOptions start_;
  Tournament tournament_;
  Hooks hooks_;
  std::function<void(const TuneTrial&)> on_trial_;
  std::atomic<size_t> measured_ = 0;
};

TEST_F(TournamentTest, FindsWhatIsKnownToBeBest) {
  const TuneReport report = Run();
  EXPECT_NEAR(std::log10(BestL2(report)), -2, 0.15);
  EXPECT_EQ(report.trials[report.best].folds, 5);
}

TEST_F(TournamentTest, SpendsItsBudgetAndLittleMore) {
  for (const uint64_t trainings : {20, 50, 200, 1000}) {
    tournament_.budget_tokens = trainings * kTokens;
    measured_ = 0;
    const TuneReport report = Run();
    EXPECT_EQ(report.tokens, measured_ * kTokens) << trainings;
    EXPECT_GE(report.tokens, 0.8 * trainings * kTokens);
    EXPECT_LE(report.tokens, 1.1 * trainings * kTokens);
  }
}

// Of n trials on one fold, n / 2 play a second one, n / 4 two more and n / 8
// the last one, and `start` always plays.
TEST_F(TournamentTest, TheBetterHalfPlaysOn) {
  tournament_.budget_tokens = 90 * kTokens;
  const TuneReport report = Run();
  // Two thirds of 90 pay 28 trials of 1 + 1/2 + 2/4 + 1/8 trainings each.
  std::map<uint64_t, std::vector<double>> first;  // scores on fold 0, by folds
  for (size_t i = 0; i < 28; ++i) {
    const TuneTrial& trial = report.trials[i];
    if (i > 0) first[trial.folds].push_back(MadeUpScore(trial.options, 0));
  }
  EXPECT_EQ(report.trials[0].folds, 5);
  EXPECT_THAT(first[1],
              SizeIs(testing::AllOf(testing::Ge(13), testing::Le(14))));
  double worst_that_went_on = 1;
  for (const auto& [folds, scores] : first) {
    if (folds == 1) continue;
    worst_that_went_on = std::min(
        worst_that_went_on, *std::min_element(scores.begin(), scores.end()));
  }
  EXPECT_GE(worst_that_went_on,
            *std::max_element(first[1].begin(), first[1].end()));
}

TEST_F(TournamentTest, ScoresAreMeansOverTheFoldsWithTheirDeviation) {
  const TuneReport report = Run();
  const TuneTrial& start = report.trials[0];
  ASSERT_EQ(start.folds, 5);
  // Of 1 by hand: offs 2.4, 1.9, 1.7, 2.1, 1.9.
  EXPECT_NEAR(start.score, 0.9 - 0.1 * (5.76 + 3.61 + 2.89 + 4.41 + 3.61) / 5,
              1e-9);
  // Squares of offs have the mean 4.056 and this sample variance over 5.
  const double variance = (1.704 * 1.704 + 0.446 * 0.446 + 1.166 * 1.166 +
                           0.354 * 0.354 + 0.446 * 0.446) /
                          4 / 5;
  EXPECT_NEAR(start.deviation, 0.1 * std::sqrt(variance), 1e-9);
}

TEST_F(TournamentTest, TheSameSeedTriesTheSameWithAnyNumberOfThreads) {
  const TuneReport once = Run();
  tournament_.threads = 4;
  const TuneReport again = Run();
  tournament_.seed = 2;
  const TuneReport other = Run();
  ASSERT_EQ(once.trials.size(), again.trials.size());
  for (size_t i = 0; i < once.trials.size(); ++i) {
    EXPECT_EQ(once.trials[i].options.l2, again.trials[i].options.l2);
    EXPECT_EQ(once.trials[i].score, again.trials[i].score);
    EXPECT_EQ(once.trials[i].folds, again.trials[i].folds);
  }
  EXPECT_EQ(once.best, again.best);
  EXPECT_NE(BestL2(once), BestL2(other));
}

TEST_F(TournamentTest, TrialsAreToldInOrderEachTimeTheyWereMeasuredOnMore) {
  tournament_.threads = 3;
  std::vector<TuneTrial> told;
  on_trial_ = [&](const TuneTrial& trial) { told.push_back(trial); };
  const TuneReport report = Run();
  ASSERT_GE(told.size(), report.trials.size());
  EXPECT_EQ(told[0].number, 0);
  EXPECT_EQ(told[1].number, 1);
  std::map<size_t, uint64_t> folds;
  for (const TuneTrial& trial : told) {
    EXPECT_GT(trial.folds, folds[trial.number]);
    folds[trial.number] = trial.folds;
  }
  for (const TuneTrial& trial : report.trials) {
    EXPECT_EQ(folds[trial.number], trial.folds);
  }
}

TEST_F(TournamentTest, ASmallBudgetPlaysOnSharesOfTheText) {
  tournament_.budget_tokens = 3 * kTokens;
  tournament_.smallest_share = 1.0 / 16;
  const TuneReport report = Run();
  EXPECT_GE(report.trials.size(), 8);
  EXPECT_LT(report.trials[1].share, 1);
  EXPECT_LE(report.tokens, 1.4 * 3 * kTokens);
}

TEST_F(TournamentTest, OneFoldIsPlayedOnGrowingShares) {
  tournament_.folds = 1;
  tournament_.smallest_share = 1.0 / 16;
  const TuneReport report = Run();
  EXPECT_EQ(report.trials[report.best].share, 1);
  EXPECT_EQ(std::count_if(
                report.trials.begin(), report.trials.end(),
                [](const TuneTrial& trial) { return trial.share == 0.25; }) > 0,
            true);
}

TEST_F(TournamentTest, ABudgetOfNothingMeasuresTheStart) {
  tournament_.budget_tokens = 1;
  const TuneReport report = Run();
  EXPECT_THAT(report.trials, SizeIs(1));
  EXPECT_EQ(report.best, 0);
}

TEST_F(TournamentTest, WhatNeedsTooMuchMemoryIsNeverMeasured) {
  tournament_.memory = [](const ClassifierOptions& options) {
    return options.l2 < 0.1 ? 1001 : 10;
  };
  const TuneReport report = Run();
  EXPECT_GE(BestL2(report), 0.1);
  size_t left_out = 0;
  for (const TuneTrial& trial : report.trials) {
    if (trial.options.l2 >= 0.1) continue;
    ++left_out;
    EXPECT_EQ(trial.left_out, "needs 1,001 bytes of memory");
    EXPECT_EQ(trial.tokens, 0);
  }
  EXPECT_GT(left_out, 0);
}

TEST_F(TournamentTest, WhereTheStartCountsForNothingAnotherOneIsFound) {
  tournament_.memory = [](const ClassifierOptions& options) {
    return options.l2 == 1 ? 1001 : 10;
  };
  const TuneReport report = Run();
  EXPECT_FALSE(report.trials[0].left_out.empty());
  EXPECT_NEAR(std::log10(BestL2(report)), -2, 0.3);
}

TEST_F(TournamentTest, WhereNoTrialCountsTheFirstOneSaysWhy) {
  tournament_.memory = [](const ClassifierOptions&) { return 5000; };
  const auto report = RunTournament(tournament_, start_, hooks_, on_trial_);
  EXPECT_TRUE(absl::IsResourceExhausted(report.status()));
  EXPECT_THAT(std::string(report.status().message()),
              HasSubstr("needs 5,000 bytes of memory"));
}

TEST_F(TournamentTest, WhatIsLeftOutAfterItsTrainingDoesNotWin) {
  const auto measure = tournament_.measure;
  tournament_.measure = [&](const ClassifierOptions& options, size_t fold,
                            double share) -> absl::StatusOr<Measured> {
    auto measured = measure(options, fold, share);
    if (options.l2 < 0.1) measured->left_out = "too large";
    return measured;
  };
  const TuneReport report = Run();
  EXPECT_GE(BestL2(report), 0.1);
  EXPECT_LT(BestL2(report), 0.3);
}

TEST_F(TournamentTest, AFailureEndsTheSearch) {
  tournament_.measure = [](const ClassifierOptions&, size_t,
                           double) -> absl::StatusOr<Measured> {
    return absl::DataLossError("vectors.bin: truncated");
  };
  EXPECT_EQ(RunTournament(tournament_, start_, hooks_, on_trial_).status(),
            absl::DataLossError("vectors.bin: truncated"));
}

TEST_F(TournamentTest, AnInterruptionKeepsTheBestSoFar) {
  std::atomic<bool> stop = false;
  hooks_.stop = &stop;
  size_t told = 0;
  on_trial_ = [&](const TuneTrial&) { stop = ++told == 20; };
  const TuneReport report = Run();
  EXPECT_TRUE(report.interrupted);
  ASSERT_EQ(told, 20);
  const TuneTrial& best = report.trials[report.best];
  for (const TuneTrial& trial : report.trials) {
    if (trial.folds == 0) continue;
    EXPECT_LE(trial.score, best.score);
  }
}

TEST_F(TournamentTest, AnInterruptionBeforeTheFirstTrialLeavesNothing) {
  const std::atomic<bool> stop = true;
  hooks_.stop = &stop;
  EXPECT_TRUE(absl::IsCancelled(
      RunTournament(tournament_, start_, hooks_, on_trial_).status()));
}

TEST_F(TournamentTest, NothingIsTriedTwice) {
  tournament_.draw = [](const ClassifierOptions& from, double, Rng* rng) {
    ClassifierOptions options = from;
    options.word_ngrams = 1 + rng->Below(3);
    return options;
  };
  EXPECT_THAT(Run().trials, SizeIs(3));
}

}  // namespace
}  // namespace firth
