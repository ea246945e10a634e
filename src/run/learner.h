// Learner: the object that a Run trains.
//
// A training run consists of a learner, which implements the training of one
// kind of model, and a Run, which is independent of the model. The Run
// measures, keeps the best model, ends training when patience is exhausted,
// saves and restores checkpoints, and goes back to a checkpoint if values are
// no longer finite. The trained values of a learner are a list of named
// tensors, and its position in the text is a JSON object, so all learners are
// saved in the same way.

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

// A matrix of the learner, [rows, cols], with `stride` floats from row to row.
// Its address is fixed as long as the learner lives. With several ranks, either
// all have the same values, or each has some columns of a whole matrix.
struct NamedTensor {
  std::string name;  // Name in checkpoints.
  float* data = nullptr;
  size_t rows = 0;
  size_t cols = 0;
  size_t stride = 0;
  // Columns of the whole matrix; 0 if it is not divided.
  size_t whole_cols = 0;
  size_t first_col = 0;  // First column of this part.
};

// Progress that a learner reports during training. The sums start at
// SetState().
struct Standing {
  int epoch = 0;        // Counted from 0.
  double examples = 0;  // Number of examples in the sum of the losses.
  double loss = 0;      // Sum of the losses in nats.
  double learning_rate = 0;
  bool has_perplexity = false;  // Whether exp(mean loss) is a perplexity.
};

// The interface of a run that Advance() calls.
class RunControl {
 public:
  virtual ~RunControl() = default;
  // Returns whether Advance() should return as soon as training can continue
  // from its state: the user requested a stop, or a checkpoint is due.
  // Thread-safe.
  virtual bool ShouldPause() const = 0;
  // Shows the progress to the user a few times per second; most calls do
  // nothing. Only one thread may call it at a time.
  virtual void Tell(const Standing& standing) = 0;
  // Reports that an epoch is complete. Every call reaches the user. Must be
  // called while no worker runs.
  virtual void EndEpoch(const EpochProgress& epoch) = 0;
};

// The interface of learners. With several ranks that train together, each has a
// learner. All of them receive the same calls at the same time, and their
// results are the same on all.
class Learner {
 public:
  // `name` is the kind of model in messages, such as "word vectors" or "a
  // tagger". A checkpoint can be resumed only by a learner of the same name.
  // `options` has the fields of the options in its identity.
  Learner(absl::string_view name, const FieldTable& options)
      : name_(name), fields_(options) {}
  virtual ~Learner() = default;

  absl::string_view name() const { return name_; }
  const FieldTable& fields() const { return fields_; }
  // Returns everything that the result depends on, under the names that the
  // user knows. It must be the same when training is resumed, except that the
  // value of "epochs" may increase.
  virtual nlohmann::json Identity() const = 0;

  // Trains until a point at which to measure (returns true), or until the
  // control requests a pause (returns false). Errors: OutOfRange, a loss or
  // value is no longer finite.
  virtual absl::StatusOr<bool> Advance(RunControl& control) = 0;
  // Returns whether nothing is left to train.
  virtual bool done() const = 0;
  // Returns the number of words or tokens trained so far, and the final number.
  // Thread-safe.
  virtual uint64_t position() const = 0;
  virtual uint64_t total() const = 0;

  // Measures the quality of the model, after Advance() has returned true, and
  // returns a line about it, or "" if there is nothing to report. Errors:
  // Cancelled, the user requested a stop; the measurement is then repeated
  // later.
  virtual absl::StatusOr<std::string> Measure() = 0;
  // Returns the quality at each Measure() so far; greater is better.
  // Measurements without data have no value.
  virtual std::vector<std::optional<double>> Scores() const = 0;

  // Returns the trained tensors. The best of these are kept.
  virtual std::vector<NamedTensor> Learned() = 0;
  // Returns the other tensors that training depends on, such as an optimizer's.
  virtual std::vector<NamedTensor> Others() { return {}; }
  // Adds constant data, for tools that read checkpoints. Called on another
  // thread during training.
  virtual void AddConstants(CheckedWriter*) const {}

  // Returns the state of training, between two calls of Advance().
  virtual nlohmann::json State() const = 0;
  // Restores a state, after all tensors have been set. May throw
  // nlohmann::json::exception if a value is missing, has the wrong type or is
  // out of range. Errors: DataLoss, an impossible state; Cancelled, the user
  // requested a stop.
  virtual absl::Status SetState(const nlohmann::json& state) = 0;
  // Multiplies all future learning rates.
  virtual void SetRateFactor(double factor) = 0;

 private:
  const absl::string_view name_;
  const FieldTable& fields_;
};

}  // namespace firth

#endif  // FIRTH_RUN_LEARNER_H_
