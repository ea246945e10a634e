// Rounds: training whose result does not depend on the number of threads.
//
// A round is a number of windows of the text, cut into slices that any thread
// may take. The tables do not change during a round: a slice reads rows as they
// were at its start, and logs its steps. Then the steps are added, row by row
// in the order of the slices, and the next round begins. The text alone
// determines what is computed and in which order numbers are added, so one
// thread and eight threads give the same bytes.
//
// This is minibatch SGD with the sum of the gradients, whereas Hogwild takes
// one window at a time. It learns the same unless a row is stepped so often in
// a round that it overshoots, which the damping of train/rounds/slice_log.h
// prevents.

#ifndef FIRTH_TRAIN_ROUNDS_ROUNDS_H_
#define FIRTH_TRAIN_ROUNDS_ROUNDS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "base/team.h"
#include "firth/train.h"
#include "model/embedding_model.h"
#include "train/rounds/slice_log.h"
#include "train/sentence_reader.h"
#include "train/worker.h"
#include "vocab/subsampler.h"

namespace firth {

// How an epoch is divided: tokens per slice, and slices per round.
struct RoundShape {
  uint64_t slice_tokens = 1;
  size_t slices = 1;
};

// Returns the shape of rounds. `counts` are those of the vocabulary.
RoundShape ShapeOfRounds(const Subsampler& subsampler,
                         absl::Span<const uint64_t> counts);

// Returns approximately how many bytes the logs take.
uint64_t RoundBytes(const TrainOptions& options, const ModelShape& shape);

class Rounds {
 public:
  struct Slice {
    StreamPiece piece;
    SliceLog* log;
  };

  // `pause` returns whether to end before the epoch does; it is called after
  // each round. `*probes` has the directions in which vectors extend farthest,
  // [2, dim] for inputs and outputs, as found in the previous round, or is
  // empty at first. Borrows the model, the monitor and the probes.
  Rounds(const RoundShape& shape, StreamPiece rest, int epoch,
         std::function<bool()> pause, EmbeddingModel& model,
         TrainMonitor& monitor, std::vector<float>* probes);

  // Returns the next slice of the round for this thread, or nothing if all are
  // taken. The log is empty. The caller must sort it at the end.
  std::optional<Slice> TakeSlice();

  // Adds all steps of the round, when there are no more slices. All threads of
  // a parallel region must call it. Returns false if there is no other round.
  bool NextRound();

  // Returns the learning rate of the current round.
  float learning_rate() const { return learning_rate_; }

  // For use between parallel regions: the start of the next round, all work
  // done, and whether it succeeded.
  uint64_t position() const { return begin_; }
  const WorkDone& done() const { return done_; }
  absl::Status TakeStatus() { return std::move(status_); }

 private:
  // Returns the mean of (p.x) x over all slices, where p is the probe. This is
  // a step of the power iteration. Its length is about the largest eigenvalue.
  std::vector<double> MeanOf(Spread SliceLog::*spread) const;
  // Computes the damping, before the steps of a round are added.
  void Measure();
  void TurnProbes();
  void Advance();

  const RoundShape shape_;
  const uint64_t end_;
  const int epoch_;
  const std::function<bool()> pause_;
  TrainMonitor& monitor_;
  LogApplier applier_;
  uint64_t begin_;
  float learning_rate_;
  bool over_;
  std::vector<SliceLog> logs_;
  // Results of the round whose steps are being added.
  std::vector<double> mean_input_;
  std::vector<double> mean_output_;
  Damping damping_;
  std::vector<float>& probes_;
  PaddedMatrix aligned_probes_;  // Aligned copy of probes_.
  WorkDone done_;
  absl::Status status_;
  alignas(128) std::atomic<size_t> next_slice_{0};
  alignas(128) std::atomic<size_t> next_partition_{0};
  TeamBarrier learned_;
  TeamBarrier applied_;
};

}  // namespace firth

#endif  // FIRTH_TRAIN_ROUNDS_ROUNDS_H_
