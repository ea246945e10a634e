// Learner: what a Run drives.
//
// A training is a learner, which knows one kind of model and how to make it
// better, and the run that drives it, which knows none: it measures, keeps the
// best, runs out of patience, saves and goes on from checkpoints, and goes back
// where values are no longer finite. What a learner has learnt is a list of
// named tensors, and where it stands in its text is a JSON object, so that all
// trainings are saved alike.

#ifndef FIRTH_RUN_LEARNER_H_
#define FIRTH_RUN_LEARNER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/fields.h"
#include "firth/progress.h"
#include "nlohmann/json.hpp"

namespace firth {

class CheckedWriter;

// A matrix of the learner's, [rows, cols], a row every `stride` floats. It
// stays where it is as long as the learner lives. Of ranks, all have the same
// values, or each has some columns of a whole.
struct NamedTensor {
  std::string name;  // in checkpoints
  float* data = nullptr;
  size_t rows = 0;
  size_t cols = 0;
  size_t stride = 0;
  size_t whole_cols = 0;  // 0: it is whole
  size_t first_col = 0;   // of it, in the whole
};

// What a learner tells while it trains. The sums grow from SetState() on.
struct Standing {
  int epoch = 0;        // from 0
  double examples = 0;  // whose losses are in the sum
  double loss = 0;      // nats
  double learning_rate = 0;
  bool has_perplexity = false;  // exp(loss) is one
};

// The run, as a learner sees it from Advance().
class RunControl {
 public:
  virtual ~RunControl() = default;
  // Whether to return as soon as the training can go on from there: the user
  // asks to stop, or a checkpoint is due. Thread-safe.
  virtual bool ShouldPause() const = 0;
  // Shows the user where the training stands, a few times a second: most calls
  // do nothing. For one thread at a time.
  virtual void Tell(const Standing& standing) = 0;
  // Reports an epoch that is over. Every call reaches the user. To be called
  // while no worker runs.
  virtual void EndEpoch(const EpochProgress& epoch) = 0;
};

// Of ranks that train together each has a learner, and all of them are asked
// the same at the same time; what they return is the same on all.
class Learner {
 public:
  // name: what is learnt, as messages have it: "word vectors", "a tagger"; only
  // a learner of the same name goes on from a checkpoint. options: the fields
  // of the options that are in its identity.
  Learner(absl::string_view name, const FieldTable& options)
      : name_(name), fields_(options) {}
  virtual ~Learner() = default;

  absl::string_view name() const { return name_; }
  const FieldTable& fields() const { return fields_; }
  // All that the result depends on, each by the name that the user has for it:
  // what must be the same when a training goes on from a checkpoint. The value
  // of "epochs" may rise.
  virtual nlohmann::json Identity() const = 0;

  // Trains until it comes to a point to measure at (true), or until the control
  // says to pause (false). Errors: OutOfRange, a loss or value is no longer
  // finite.
  virtual absl::StatusOr<bool> Advance(RunControl& control) = 0;
  // Whether there is nothing left to train.
  virtual bool done() const = 0;
  // Words or tokens that have been trained on, and what they will be in all.
  // Thread-safe.
  virtual uint64_t position() const = 0;
  virtual uint64_t total() const = 0;

  // Measures what has been learnt, after Advance() has returned true, and
  // returns a line that says how good it is; empty: there is nothing to say.
  // Errors: Cancelled, the user asked to stop; it is then measured again.
  virtual absl::StatusOr<std::string> Measure() = 0;
  // How good what was learnt has been, by each Measure() so far; greater is
  // better. Nothing where there was nothing to measure on.
  virtual std::vector<std::optional<double>> Scores() const = 0;

  // What is learnt: of this the best is kept.
  virtual std::vector<NamedTensor> Learnt() = 0;
  // The other tensors that the training depends on, such as an optimizer's.
  virtual std::vector<NamedTensor> Others() { return {}; }
  // Adds what never changes, for those who look into a checkpoint. Called on
  // another thread while the training goes on.
  virtual void AddConstants(CheckedWriter*) const {}

  // Where the training stands, between two calls of Advance().
  virtual nlohmann::json State() const = 0;
  // Goes on from there, when all tensors have been set. May throw
  // nlohmann::json::exception where something lacks, is of another type or out
  // of range. Errors: DataLoss, a state that cannot be; Cancelled, the user
  // asked to stop.
  virtual absl::Status SetState(const nlohmann::json& state) = 0;
  // Multiplies all learning rates to come.
  virtual void SetRateFactor(double factor) = 0;

 private:
  const absl::string_view name_;
  const FieldTable& fields_;
};

}  // namespace firth

#endif  // FIRTH_RUN_LEARNER_H_
