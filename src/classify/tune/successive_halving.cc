// Two brackets of successive halving. A level determines on how much text a
// trial is measured: a fraction of one fold's training texts, then whole folds,
// with each level about twice the one before. All trials of a bracket play the
// first level, the better half of them the second, and so on. Folds on which a
// trial was measured at one level count at the next.
//
// The first bracket draws options from the whole space, the second around the
// best of the first. `start` always plays to the end of the first bracket, so
// that the report shows the benefit of tuning.

#include "classify/tune/successive_halving.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/parallel_exceptions.h"
#include "classify/tune/option_space.h"
#include "firth/status_macros.h"
#include "firth/thousands.h"

namespace firth {
namespace {

constexpr double kFirstBracketShare = 2.0 / 3;
constexpr double kWide = 1;
constexpr double kNarrow = 0.4;
// If a bracket could afford fewer trials than this, it uses less text.
constexpr double kFewestTrials = 8;
constexpr size_t kMostTrials = 512;
constexpr size_t kFewestLevels = 3;

struct Level {
  double share = 1;  // fraction of the texts of a fold
  size_t folds = 1;  // 1 if share is below 1
};

// A trial with the state that its report does not contain.
struct Contender {
  TuneTrial trial;
  std::vector<double> fold_scores;             // of whole folds, from the first
  std::vector<std::optional<double>> reached;  // the score at each level
};

// One training run to be done.
struct Task {
  size_t contender;
  size_t fold;
};

double Mean(absl::Span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double DeviationOfMean(absl::Span<const double> values) {
  if (values.size() < 2) return 0;
  const double mean = Mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const auto count = static_cast<double>(values.size());
  return std::sqrt(squares / (count - 1) / count);
}

// Returns how many training runs on whole folds a level costs for a trial that
// has played the previous level.
double AddedCost(const std::vector<Level>& levels, size_t level) {
  const Level& here = levels[level];
  if (here.share < 1) return here.share;
  const bool after_whole = level > 0 && levels[level - 1].share == 1;
  return static_cast<double>(here.folds -
                             (after_whole ? levels[level - 1].folds : 0));
}

// Returns the same for a whole bracket, per trial of its first level.
double CostOfTrial(const std::vector<Level>& levels) {
  double cost = 0;
  for (size_t i = 0; i < levels.size(); ++i) {
    cost += std::ldexp(AddedCost(levels, i), -static_cast<int>(i));
  }
  return cost;
}

// Returns levels with as much text as leaves room for enough trials.
// `trainings` is the number of training runs on whole folds that the budget of
// a bracket allows.
std::vector<Level> ChooseLevels(size_t folds, double smallest_share,
                                double trainings) {
  std::vector<Level> levels = {{1, 1}};
  while (levels.back().folds < folds) {
    levels.push_back({1, std::min(folds, 2 * levels.back().folds)});
  }
  const auto too_dear = [&] {
    return trainings < kFewestTrials * CostOfTrial(levels);
  };
  while ((levels.size() < kFewestLevels || too_dear()) &&
         levels.front().share / 2 >= smallest_share) {
    levels.insert(levels.begin(), {levels.front().share / 2, 1});
  }
  while (levels.size() > 1 && too_dear()) levels.pop_back();
  return levels;
}

class Search {
 public:
  Search(const Tournament& tournament, const Hooks& hooks,
         const std::function<void(const TuneTrial&)>& on_trial)
      : tournament_(tournament),
        hooks_(hooks),
        on_trial_(on_trial),
        rng_(tournament.seed) {}

  absl::StatusOr<TuneReport> Run(const ClassifierOptions& start) {
    const auto budget = static_cast<double>(tournament_.budget_tokens);
    const double first = kFirstBracketShare * budget;
    const auto training =
        static_cast<double>(std::max<uint64_t>(1, tournament_.tokens(start)));
    levels_ = ChooseLevels(tournament_.folds, tournament_.smallest_share,
                           first / training);
    std::vector<size_t> trials;
    if (Add(start).has_value()) trials.push_back(0);
    Draw(start, kWide, first, &trials);
    FIRTH_RETURN_IF_ERROR(PlayBracket(trials, first));
    const std::optional<size_t> best = Best();
    if (interrupted_ || !best.has_value()) return std::move(*this).Report();
    const double second = budget - static_cast<double>(spent_);
    trials.clear();
    Draw(ClassifierOptions(contenders_[*best].trial.options), kNarrow, second,
         &trials);
    FIRTH_RETURN_IF_ERROR(PlayBracket(trials, second));
    return std::move(*this).Report();
  }

 private:
  // Adds a trial and returns its number. Returns nothing if it already exists,
  // or takes too much memory and is left out.
  std::optional<size_t> Add(const ClassifierOptions& options) {
    if (!keys_.insert(OptionKey(options)).second) return std::nullopt;
    Contender& contender = contenders_.emplace_back();
    contender.reached.resize(levels_.size());
    TuneTrial& trial = contender.trial;
    trial.number = contenders_.size() - 1;
    trial.options = options;
    trial.memory = tournament_.memory(options);
    if (trial.memory <= tournament_.memory_bytes) return trial.number;
    trial.left_out =
        absl::StrCat("needs ", Thousands(trial.memory), " bytes of memory");
    if (on_trial_) on_trial_(trial);
    return std::nullopt;
  }

  // Adds to `trials` as many new trials as the budget, in tokens, allows.
  void Draw(const ClassifierOptions& from, double spread, double budget,
            std::vector<size_t>* trials) {
    // After this many failures in a row, there is nothing left to draw.
    constexpr int kMostFailures = 100;
    for (const size_t trial : *trials) budget -= CostOf(trial);
    for (int failures = 0;
         failures < kMostFailures && trials->size() < kMostTrials;) {
      const std::optional<size_t> trial =
          Add(tournament_.draw(from, spread, &rng_));
      failures = trial.has_value() ? 0 : failures + 1;
      if (!trial.has_value()) continue;
      budget -= CostOf(*trial);
      if (budget < 0) {  // drop the trial, which was not played
        keys_.erase(OptionKey(contenders_.back().trial.options));
        contenders_.pop_back();
        return;
      }
      trials->push_back(*trial);
    }
  }

  // Returns the number of tokens that a trial costs in a bracket.
  double CostOf(size_t trial) const {
    return CostOfTrial(levels_) * static_cast<double>(tournament_.tokens(
                                      contenders_[trial].trial.options));
  }

  absl::Status PlayBracket(std::vector<size_t> trials, double budget) {
    for (size_t level = 0; level < levels_.size(); ++level) {
      const uint64_t before = spent_;
      trials = Affordable(trials, level, budget);
      if (trials.empty()) return absl::OkStatus();
      FIRTH_RETURN_IF_ERROR(PlayRound(trials, level));
      if (interrupted_) return absl::OkStatus();
      whole_levels_ = std::max(whole_levels_, level + 1);
      budget -= static_cast<double>(spent_ - before);
      trials = BetterHalf(std::move(trials), level);
    }
    return absl::OkStatus();
  }

  // Returns as many of the trials, best first, as the budget allows, and at
  // least one.
  std::vector<size_t> Affordable(const std::vector<size_t>& trials,
                                 size_t level, double budget) const {
    std::vector<size_t> affordable;
    for (const size_t trial : trials) {
      budget -= AddedCost(levels_, level) *
                static_cast<double>(
                    tournament_.tokens(contenders_[trial].trial.options));
      if (budget < 0 && !affordable.empty()) break;
      affordable.push_back(trial);
    }
    return affordable;
  }

  std::vector<size_t> BetterHalf(std::vector<size_t> trials,
                                 size_t level) const {
    std::erase_if(trials, [&](size_t trial) {
      return !contenders_[trial].trial.left_out.empty();
    });
    std::sort(trials.begin(), trials.end(), [&](size_t a, size_t b) {
      const double score_a = *contenders_[a].reached[level];
      const double score_b = *contenders_[b].reached[level];
      return score_a != score_b ? score_a > score_b : a < b;
    });
    const size_t half = (trials.size() + 1) / 2;
    // Move `start` to second place at the latest, so that the budget covers it.
    const auto start = std::find(trials.begin(), trials.end(), size_t{0});
    const auto second = trials.begin() + (trials.empty() ? 0 : 1);
    const bool moved = start != trials.end() && start > second;
    const bool added = moved && start >= trials.begin() + half;
    if (moved) std::rotate(second, start, start + 1);
    trials.resize(half + (added ? 1 : 0));
    return trials;
  }

  absl::Status PlayRound(const std::vector<size_t>& trials, size_t level) {
    const std::vector<Task> tasks = TasksOf(trials, level);
    std::vector<std::optional<absl::StatusOr<Measured>>> results(tasks.size());
    std::vector<double> seconds(tasks.size());
    size_t taken = 0;  // number of results taken, in their order
    absl::Status status;
    ParallelExceptions exceptions;
#pragma omp parallel for schedule(dynamic, 1) num_threads(Workers(trials))
    for (size_t i = 0; i < tasks.size(); ++i) {
      exceptions.Catch([&] {
        auto result = Measure(tasks[i], level, &seconds[i]);
#pragma omp critical(firth_tune)
        exceptions.Catch([&] {
          results[i] = std::move(result);
          while (status.ok() && taken < tasks.size() && results[taken]) {
            status = results[taken]->status();
            if (!status.ok()) break;
            Take(tasks[taken], level, **results[taken], seconds[taken]);
            ++taken;
          }
        });
      });
    }
    exceptions.Rethrow();
    if (!absl::IsCancelled(status)) return status;
    interrupted_ = true;
    return absl::OkStatus();
  }

  int Workers(const std::vector<size_t>& trials) const {
    uint64_t most = 1;
    for (const size_t trial : trials) {
      most = std::max(most, contenders_[trial].trial.memory);
    }
    const uint64_t fit = std::max<uint64_t>(1, tournament_.memory_bytes / most);
    return static_cast<int>(
        std::min(fit, static_cast<uint64_t>(tournament_.threads)));
  }

  std::vector<Task> TasksOf(const std::vector<size_t>& trials,
                            size_t level) const {
    std::vector<Task> tasks;
    for (const size_t trial : trials) {
      const size_t done = contenders_[trial].fold_scores.size();
      for (size_t fold = done; fold < levels_[level].folds; ++fold) {
        tasks.push_back({trial, fold});
      }
    }
    return tasks;
  }

  absl::StatusOr<Measured> Measure(const Task& task, size_t level,
                                   double* seconds) const {
    if (hooks_.StopRequested()) return absl::CancelledError("interrupted");
    const auto begin = std::chrono::steady_clock::now();
    absl::StatusOr<Measured> measured =
        tournament_.measure(contenders_[task.contender].trial.options,
                            task.fold, levels_[level].share);
    *seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count();
    return measured;
  }

  void Take(const Task& task, size_t level, const Measured& measured,
            double seconds) {
    Contender& contender = contenders_[task.contender];
    TuneTrial& trial = contender.trial;
    spent_ += measured.tokens;
    trial.tokens += measured.tokens;
    trial.seconds += seconds;
    trial.bytes = std::max(trial.bytes, measured.bytes);
    if (trial.left_out.empty()) trial.left_out = measured.left_out;
    hooks_.ReportWork(std::min(spent_, tournament_.budget_tokens),
                      tournament_.budget_tokens);
    const bool whole = levels_[level].share == 1;
    std::vector<double> scores = {measured.score};
    if (whole) {
      contender.fold_scores.push_back(measured.score);
      scores = contender.fold_scores;
    }
    if (scores.size() < levels_[level].folds) return;
    trial.folds = scores.size();
    trial.share = levels_[level].share;
    trial.score = Mean(scores);
    trial.deviation = DeviationOfMean(scores);
    contender.reached[level] = trial.score;
    if (on_trial_) on_trial_(trial);
  }

  // Returns the position of the best trial, or nothing if all are left out.
  std::optional<size_t> Best() const {
    for (size_t level = std::max<size_t>(1, whole_levels_); level-- > 0;) {
      std::optional<size_t> best;
      for (size_t i = 0; i < contenders_.size(); ++i) {
        const std::optional<double>& score = contenders_[i].reached[level];
        if (!score.has_value() || !contenders_[i].trial.left_out.empty())
          continue;
        if (!best.has_value() || *score > *contenders_[*best].reached[level]) {
          best = i;
        }
      }
      if (best.has_value()) return best;
    }
    return std::nullopt;
  }

  absl::StatusOr<TuneReport> Report() && {
    const std::optional<size_t> best = Best();
    if (!best.has_value() && interrupted_) {
      return absl::CancelledError(
          "the search was interrupted before the first trial was complete");
    }
    if (!best.has_value()) {
      return absl::ResourceExhaustedError(
          absl::StrCat("all ", contenders_.size(),
                       " trials were skipped; reason for the first: ",
                       contenders_[0].trial.left_out));
    }
    TuneReport report;
    report.best = *best;
    report.tokens = spent_;
    report.budget_tokens = tournament_.budget_tokens;
    report.interrupted = interrupted_;
    for (Contender& contender : contenders_) {
      report.trials.push_back(std::move(contender.trial));
    }
    return report;
  }

  const Tournament& tournament_;
  const Hooks& hooks_;
  const std::function<void(const TuneTrial&)>& on_trial_;
  Rng rng_;
  std::vector<Level> levels_;
  std::vector<Contender> contenders_;
  std::set<std::string> keys_;
  uint64_t spent_ = 0;       // in tokens
  size_t whole_levels_ = 0;  // levels played to their end by a bracket
  bool interrupted_ = false;
};

}  // namespace

absl::StatusOr<TuneReport> RunTournament(
    const Tournament& tournament, const ClassifierOptions& start,
    const Hooks& hooks, const std::function<void(const TuneTrial&)>& on_trial) {
  return Search(tournament, hooks, on_trial).Run(start);
}

}  // namespace firth
