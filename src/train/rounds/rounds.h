// Rounds: training whose result does not depend on the number of threads.
//
// A round is some windows of the text, cut into slices of which any thread may
// take any. While a round goes on the tables do not move: a slice reads rows as
// they were at its start, and logs its steps. Then the steps are added, row by
// row in the order of the slices, and the next round begins. What is computed,
// and in which order numbers are added, is given by the text alone, so one
// thread and eight give the same bytes.
//
// So this is minibatch SGD with the sum of the gradients, in place of Hogwild's
// one window at a time. It learns the same as long as no row is stepped on so
// often in a round that it overshoots: train/rounds/apply_logs.h keeps those
// from it.

#ifndef FIRTH_TRAIN_ROUNDS_ROUNDS_H_
#define FIRTH_TRAIN_ROUNDS_ROUNDS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "base/team_barrier.h"
#include "firth/train.h"
#include "model/embedding_model.h"
#include "train/rounds/apply_logs.h"
#include "train/rounds/slice_log.h"
#include "train/sentence_reader.h"
#include "train/train_monitor.h"
#include "vocab/subsampler.h"

namespace firth {

// How an epoch is cut: slices of so many tokens, so many in a round.
struct RoundShape {
  uint64_t slice_tokens = 1;
  size_t slices = 1;
};

// counts: of the vocabulary.
RoundShape ShapeOfRounds(const Subsampler& subsampler,
                         absl::Span<const uint64_t> counts);

// What the logs take, about, in bytes.
uint64_t RoundBytes(const TrainOptions& options, const ModelShape& shape);

class Rounds {
 public:
  struct Slice {
    StreamPiece piece;
    SliceLog* log;
  };

  // `pause`: whether to end although the epoch goes on; asked after each round.
  // *probes: the directions in which vectors go farthest, [2, dim] for inputs
  // and outputs, as the round before found them; empty: not known yet. Borrows
  // model, monitor and probes.
  Rounds(const RoundShape& shape, StreamPiece rest, int epoch,
         std::function<bool()> pause, EmbeddingModel& model,
         TrainMonitor& monitor, std::vector<float>* probes);

  // The next slice of the round for this thread; none when all are taken. The
  // log is empty and is to be sorted at the end.
  std::optional<Slice> TakeSlice();

  // For all threads of a parallel region, when there are no more slices: adds
  // all steps. False when there is no other round.
  bool NextRound();

  // Of the present round.
  float learning_rate() const { return learning_rate_; }

  // Between regions: where the next round would begin, what was done in all,
  // and whether it went well.
  uint64_t position() const { return begin_; }
  const WorkDone& done() const { return done_; }
  absl::Status TakeStatus() { return std::move(status_); }

 private:
  // The mean of (p.x) x over all slices, p the probe: a step of the power
  // iteration, whose length is about the greatest eigenvalue.
  std::vector<double> MeanOf(Spread SliceLog::*spread) const;
  // Before the steps of a round are added: how much they are damped.
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
  // Of the round whose steps are being added.
  std::vector<double> mean_input_;
  std::vector<double> mean_output_;
  Damping damping_;
  std::vector<float>& probes_;
  PaddedMatrix aligned_probes_;  // the same
  WorkDone done_;
  absl::Status status_;
  alignas(128) std::atomic<size_t> next_slice_{0};
  alignas(128) std::atomic<size_t> next_partition_{0};
  TeamBarrier learnt_;
  TeamBarrier applied_;
};

}  // namespace firth

#endif  // FIRTH_TRAIN_ROUNDS_ROUNDS_H_
