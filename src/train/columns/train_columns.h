// The steps of a training by columns.

#ifndef FIRTH_TRAIN_COLUMNS_TRAIN_COLUMNS_H_
#define FIRTH_TRAIN_COLUMNS_TRAIN_COLUMNS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "firth/ranks.h"
#include "train/worker.h"

namespace firth {

// The scores of some steps, which become the sums of what all ranks' columns
// give.
class ColumnScores {
 public:
  explicit ColumnScores(Ranks& ranks) : ranks_(ranks) {}

  void Clear() { scores_.clear(); }
  // Room for so many more. Stays until Clear().
  float* Add(size_t count) {
    scores_.resize(scores_.size() + count);
    return scores_.data() + scores_.size() - count;
  }
  const float* data() const { return scores_.data(); }
  // Once this has failed, no sum is made.
  void Sum();

  const absl::Status& status() const { return status_; }
  double seconds() const { return seconds_; }  // in all sums

 private:
  Ranks& ranks_;
  std::vector<float> scores_;
  absl::Status status_;
  double seconds_ = 0;
};

// Trains on the rest of an epoch, piece by piece as it is cut for one thread,
// until it ends or `pause` says so on any rank. All ranks have the same stream
// and stop at the same place.
TrainedPart TrainColumns(const EpochContext& context, StreamPiece rest,
                         uint64_t piece_tokens,
                         const std::function<bool()>& pause, Ranks& ranks,
                         ColumnScores& scores);

}  // namespace firth

#endif  // FIRTH_TRAIN_COLUMNS_TRAIN_COLUMNS_H_
