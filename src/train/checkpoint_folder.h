// CheckpointFolder: the checkpoints of one training, two at most.
//
// Files are checkpoint-VIEW-WORDS.safetensors (see
// io/tensors/checked_tensors.h): the view of TrainOptions::views, from 1 (0: no
// views), and the words trained. By name the last one is the newest. Those kept
// are two that are known to be whole, as this training wrote them or went on
// from them: any other one may be damaged, and counts for nothing.

#ifndef FIRTH_TRAIN_CHECKPOINT_FOLDER_H_
#define FIRTH_TRAIN_CHECKPOINT_FOLDER_H_

#include <array>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "firth/checkpoint.h"
#include "firth/file_info.h"
#include "firth/progress.h"
#include "firth/train.h"
#include "firth/vocabulary.h"
#include "io/tensors/checked_tensors.h"
#include "model/embedding_model.h"
#include "model/model_tables.h"
#include "nlohmann/json.hpp"

namespace firth {

// Where a training stands, besides its tables.
struct TrainingState {
  uint64_t epoch = 0;               // the present one, from 0
  uint64_t token = 0;               // of the text: where its next piece begins
  uint64_t words = 0;               // trained, in all epochs
  double rate_factor = 1;           // of the learning rate
  EpochReport sums;                 // of the present epoch; loss: a sum
  std::vector<EpochReport> epochs;  // that are over
  std::vector<float> probes;        // see Rounds; empty: none
  // As they were after the best of them; null without validation.
  std::shared_ptr<const ModelTables> best;
};

class CheckpointFolder {
 public:
  // Of options with which ReserveCheckpoints() went well. `identity`: see
  // TrainingIdentity(). Borrows the vocabulary.
  CheckpointFolder(const Checkpointing& options, size_t view,
                   nlohmann::json identity, const Vocabulary& vocabulary);
  // Waits for what is being written.
  ~CheckpointFolder();

  // Fills the model, which has the shape already, from the newest checkpoint
  // of this view that is whole, with a warning for each that is not, a folder
  // or a pipe of such a name too; no value if there is none. Errors:
  // InvalidArgument, another training's; DataLoss, there are checkpoints, but
  // none is whole.
  absl::StatusOr<std::optional<TrainingState>> Restore(EmbeddingModel* model,
                                                       ProgressSink* progress);

  // Copies the tables and writes them in the background; does nothing while
  // the last ones are still being written. No worker may run. A checkpoint that
  // cannot be written is a warning: the training goes on.
  void Save(const TrainingState& state, const EmbeddingModel& model,
            ProgressSink* progress);
  // The same, and returns when it is on the disk.
  void SaveAndWait(const TrainingState& state, const EmbeddingModel& model,
                   ProgressSink* progress);

  const Checkpointing& options() const { return options_; }
  uint64_t saved() const { return saved_; }
  // That Save() took, in all and at last.
  double stalled_seconds() const { return stalled_seconds_; }
  double last_stall_seconds() const { return last_stall_seconds_; }

 private:
  using Tables = std::array<const PaddedMatrix*, kNumTables>;

  std::string PathOf(uint64_t words) const;
  absl::Status CheckSame(const CheckedReader& reader) const;
  absl::StatusOr<TrainingState> RestoreFrom(const CheckedReader& reader,
                                            EmbeddingModel* model) const;
  void RemoveOld();
  absl::Status Write(const TrainingState& state, const Tables& tables);
  bool IsWriting() const;
  void Await(ProgressSink* progress);

  const Checkpointing options_;
  const size_t view_;
  const nlohmann::json identity_;
  const Vocabulary& vocabulary_;
  std::set<std::string> whole_;  // the newest that are known to be, at most two
  ModelTables copies_;           // being written; their memory serves again
  std::future<absl::Status> writing_;
  uint64_t saved_ = 0;
  double stalled_seconds_ = 0;
  double last_stall_seconds_ = 0;
};

// The newest checkpoint of a folder that is whole. Errors: NotFound, DataLoss.
absl::StatusOr<std::string> NewestCheckpoint(const std::string& folder);

// What DescribeFile() tells of one; nothing if the file is none.
absl::StatusOr<std::optional<FileInfo>> DescribeCheckpoint(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_TRAIN_CHECKPOINT_FOLDER_H_
