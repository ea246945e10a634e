// EpochLearner: the base of learners whose epochs consist of batches and that
// measure after each epoch. A derived class defines the batches and the
// measurement.

#ifndef FIRTH_RUN_EPOCH_LEARNER_H_
#define FIRTH_RUN_EPOCH_LEARNER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/status_macros.h"
#include "nlohmann/json.hpp"
#include "run/epoch_sums.h"
#include "run/learner.h"
#include "run/run.h"

namespace firth {

// A Report has `epochs`, a vector of objects with `loss` and `seconds`, and
// `best_epoch`.
template <class Report>
class EpochLearner : public Learner {
 public:
  absl::StatusOr<bool> Advance(RunControl& control) final {
    const Clock::time_point start = Clock::now();
    FIRTH_ASSIGN_OR_RETURN(const size_t batches, PrepareBatches());
    while (sums_.batches < batches && !control.ShouldPause()) {
      FIRTH_RETURN_IF_ERROR(Step(sums_.batches));
      control.Tell(standing_);
    }
    sums_.seconds += SecondsSince(start);
    return sums_.batches == batches;
  }
  bool done() const final { return epoch() >= epochs_; }
  uint64_t position() const final {
    return epoch() * epoch_tokens_ + sums_.tokens;
  }
  uint64_t total() const final { return epochs_ * epoch_tokens_; }

  absl::StatusOr<std::string> Measure() final {
    const Clock::time_point start = Clock::now();
    Epoch result;
    FIRTH_RETURN_IF_ERROR(MeasureEpoch(&result));
    result.loss = sums_.MeanLoss();
    result.seconds = sums_.seconds + SecondsSince(start);
    report_.epochs.push_back(result);
    report_.best_epoch = BestOf(Scores());
    sums_ = {};
    if (on_epoch_) on_epoch_(report_);
    return "";
  }
  std::vector<std::optional<double>> Scores() const final {
    std::vector<std::optional<double>> scores;
    for (const Epoch& epoch : report_.epochs) scores.push_back(ScoreOf(epoch));
    return scores;
  }
  void SetRateFactor(double factor) final { rate_factor_ = factor; }

 protected:
  using Epoch = typename decltype(Report::epochs)::value_type;

  // Borrows `on_epoch`, which may be empty, and the report.
  EpochLearner(absl::string_view name, const FieldTable& options,
               uint64_t epochs,
               const std::function<void(const Report&)>& on_epoch,
               Report* report)
      : Learner(name, options),
        epochs_(epochs),
        on_epoch_(on_epoch),
        report_(*report) {}

  // Draws the batches of the current epoch, if that was not done, and returns
  // their number.
  virtual absl::StatusOr<size_t> PrepareBatches() = 0;
  // Trains on a batch, and calls AddStep().
  virtual absl::Status Step(size_t batch) = 0;
  // Measures the model. Sets everything but `loss` and `seconds`.
  virtual absl::Status MeasureEpoch(Epoch* result) = 0;
  // Returns the quality that was measured, if there were data.
  virtual std::optional<double> ScoreOf(const Epoch& epoch) const = 0;

  // Number of the current epoch, from 0.
  size_t epoch() const { return report_.epochs.size(); }
  // Batches of that epoch that were trained.
  size_t batches_done() const { return sums_.batches; }
  double rate_factor() const { return rate_factor_; }
  Report& report() { return report_; }
  const Report& report() const { return report_; }
  // Sets the number of tokens, or other examples, of an epoch.
  void set_epoch_tokens(uint64_t tokens) { epoch_tokens_ = tokens; }

  // Adds a step with its mean loss.
  void AddStep(double learning_rate, double loss, uint64_t tokens) {
    standing_.learning_rate = learning_rate;
    standing_.epoch = static_cast<int>(epoch());
    sums_.Add(loss, tokens, &standing_);
  }

  void AppendSums(nlohmann::json* state) const { sums_.AppendTo(state); }
  // Restores the sums of an epoch of so many batches, after the epochs of the
  // report. See EpochSums::Read() for errors.
  absl::Status ReadSums(const nlohmann::json& state, size_t batches) {
    report_.best_epoch = BestOf(Scores());
    standing_ = {};
    return sums_.Read(state, epoch(), epochs_, batches, epoch_tokens_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  static double SecondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  const uint64_t epochs_;
  const std::function<void(const Report&)>& on_epoch_;
  Report& report_;
  double rate_factor_ = 1;
  uint64_t epoch_tokens_ = 0;
  EpochSums sums_;  // of the current epoch
  Standing standing_;
};

}  // namespace firth

#endif  // FIRTH_RUN_EPOCH_LEARNER_H_
