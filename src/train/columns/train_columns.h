// Training by columns: every rank has all words, but only some of the values of
// each vector.
//
// A score is the sum of the contributions of all ranks' columns, and everything
// that a window teaches follows from its scores. So ranks that read the same
// windows need to exchange only scores (Ordentlich et al., "Network-Efficient
// Distributed Word2vec Training System for Large Vocabularies", CIKM 2016, with
// parameter servers instead of ranks). With 5 negatives and a window of 5, a
// window has about 36 scores, or 144 bytes. Its rows would take kilobytes.

#ifndef FIRTH_TRAIN_COLUMNS_TRAIN_COLUMNS_H_
#define FIRTH_TRAIN_COLUMNS_TRAIN_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "corpus/token_stream.h"
#include "firth/ranks.h"
#include "model/embedding_model.h"
#include "train/worker.h"

namespace firth {

// Returns the batch size of the options. If they leave it open, it is at most
// 512 windows, and small enough that on average a batch steps no word's output
// vector more than 100 times. With many more steps from the same scores,
// training diverges.
int ColumnBatch(const TrainOptions& options, absl::Span<const uint64_t> counts,
                const Subsampler& subsampler);

// Sums over all ranks the scores that each rank computes from its columns.
// After a failed exchange, no further ones are made.
class ScoreExchange {
 public:
  // `batch` is at least 1; see ColumnsOptions.
  ScoreExchange(Ranks& ranks, int batch)
      : ranks_(ranks), batch_(static_cast<size_t>(batch)) {}

  // Returns whether scores are summed immediately, at full precision.
  bool is_exact() const { return batch_ == 1; }
  // Returns the number of windows in one exchange. Two exchanges are in
  // progress, so on average a step misses the updates of one and a half of
  // them. This is half a batch, as if whole batches were exchanged at once.
  size_t windows() const { return (batch_ + 2) / 3; }
  size_t num_ranks() const { return static_cast<size_t>(ranks_.size()); }

  // Replaces the scores by their sums over all ranks.
  void Sum(absl::Span<float> scores);
  // See Ranks::BeginGather().
  void Begin(absl::Span<const char> own, char* all);
  void Await();

  const absl::Status& status() const { return status_; }
  double seconds() const { return seconds_; }  // Total time of these calls.

 private:
  template <class Talk>
  void Timed(const Talk& talk);

  Ranks& ranks_;
  const size_t batch_;
  absl::Status status_;
  double seconds_ = 0;
};

// Trains on the rest of an epoch, in pieces cut for one thread, until it ends
// or `pause` returns true on any rank. All ranks have the same stream and stop
// at the same position.
TrainedPart TrainColumns(const EpochContext& context, StreamPiece rest,
                         uint64_t piece_tokens,
                         const std::function<bool()>& pause, Ranks& ranks,
                         ScoreExchange& exchange);

// Returns the shape of this rank's share of a model.
ModelShape ShareOfShape(ModelShape shape, const Ranks& ranks);

// Returns the streams of all ranks, concatenated in rank order, on each rank.
// Errors: those of the ranks and of a full disk, the same on all ranks.
absl::StatusOr<std::shared_ptr<const TokenStream>> JoinStreams(
    Ranks& ranks, const TokenStream& own);

}  // namespace firth

#endif  // FIRTH_TRAIN_COLUMNS_TRAIN_COLUMNS_H_
