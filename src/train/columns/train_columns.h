// The steps of a training by columns.

#ifndef FIRTH_TRAIN_COLUMNS_TRAIN_COLUMNS_H_
#define FIRTH_TRAIN_COLUMNS_TRAIN_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "firth/ranks.h"
#include "train/worker.h"

namespace firth {

// The batch of the options; if they leave it open, at most 512 windows, and so
// few that on the mean they step no word's output vector more than 100 times:
// where many more start from the same scores, training diverges.
int ColumnBatch(const TrainOptions& options, absl::Span<const uint64_t> counts,
                const Subsampler& subsampler);

// What a rank's columns give of scores becomes the sum over all ranks. Once an
// exchange has failed, none is made.
class ScoreExchange {
 public:
  // batch: at least 1, as ColumnsOptions has it.
  ScoreExchange(Ranks& ranks, int batch)
      : ranks_(ranks), batch_(static_cast<size_t>(batch)) {}

  // Whether sums are made at once and of all bits.
  bool is_exact() const { return batch_ == 1; }
  // Of one exchange. Two are under way, so that a step does not see one and a
  // half of them: half a batch, as where a batch is exchanged at once.
  size_t windows() const { return (batch_ + 2) / 3; }
  size_t num_ranks() const { return static_cast<size_t>(ranks_.size()); }

  // Replaces the scores by their sums.
  void Sum(absl::Span<float> scores);
  // See Ranks::BeginGather().
  void Begin(absl::Span<const char> own, char* all);
  void Await();

  const absl::Status& status() const { return status_; }
  double seconds() const { return seconds_; }  // in all of these

 private:
  template <class Talk>
  void Timed(const Talk& talk);

  Ranks& ranks_;
  const size_t batch_;
  absl::Status status_;
  double seconds_ = 0;
};

// Trains on the rest of an epoch, piece by piece as it is cut for one thread,
// until it ends or `pause` says so on any rank. All ranks have the same stream
// and stop at the same place.
TrainedPart TrainColumns(const EpochContext& context, StreamPiece rest,
                         uint64_t piece_tokens,
                         const std::function<bool()>& pause, Ranks& ranks,
                         ScoreExchange& exchange);

}  // namespace firth

#endif  // FIRTH_TRAIN_COLUMNS_TRAIN_COLUMNS_H_
