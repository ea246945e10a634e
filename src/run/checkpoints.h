// Checkpoints: the saved states of one training run in a folder, two at most.
//
// Files are named checkpoint-PART-POSITION.safetensors (see
// io/tensors/checked_tensors.h). PART is the number of the part of a training
// run with several, from 1, or 0 if there is only one. POSITION is the number
// of words or tokens trained. The last one by name is the newest. Two files are
// kept that are known to be complete, because this run wrote them or resumed
// from them. Any other file may be damaged and is not counted. A file contains
// the learner's tensors, the best ones so far as "best.NAME", and as metadata
//
//   {"learner": its name, "training": its identity,
//    "state": its state with "rate_factor", "note": the caller's}
//
// Files from before there were several learners have no "learner"; they are of
// word vectors.
//
// With several ranks, the first one writes, and the others send it their parts
// of divided tensors. A checkpoint is therefore the same file for any number of
// ranks, and it appears when it is complete. All ranks read it.

#ifndef FIRTH_RUN_CHECKPOINTS_H_
#define FIRTH_RUN_CHECKPOINTS_H_

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "firth/checkpoint.h"
#include "firth/file_info.h"
#include "firth/progress.h"
#include "firth/ranks.h"
#include "io/tensors/checked_tensors.h"
#include "nlohmann/json.hpp"
#include "run/checkpoint_tensors.h"
#include "run/learner.h"

namespace firth {

// The state of a run apart from that of its learner.
struct RunState {
  double rate_factor = 1;  // Factor of the learning rate.
  // The tensors at the best measurement; null if there was none.
  std::shared_ptr<TensorCopies> best;
};

class Checkpoints {
 public:
  // `options` must have been passed to ReserveCheckpoints() successfully.
  // Borrows the learner and everything that the hooks point to.
  Checkpoints(const Checkpointing& options, size_t part, Learner& learner,
              const Hooks& hooks);
  // Waits for a checkpoint that is being written.
  ~Checkpoints();

  // Must be called first, by all ranks. All other functions except IsDue() and
  // IsWriting() are collective, too. Errors: those of the ranks.
  absl::Status Begin();

  // Sets the learner to the newest complete checkpoint, with a warning for each
  // that is not, including folders and pipes with such a name. Returns no value
  // if there is no checkpoint. Errors: InvalidArgument, it is from another
  // training run; DataLoss, there are checkpoints, but none is complete;
  // Cancelled, the user requested a stop.
  absl::StatusOr<std::optional<RunState>> Restore();

  // Returns whether it is time to save; the first rank decides. Thread-safe
  // while none of the other functions is called.
  bool IsDue() const;
  // Starts the interval given in the options.
  void Plan();

  // Copies the tensors and writes them in the background. Does nothing while
  // the previous ones are still being written. If a checkpoint cannot be
  // written, this is a warning, and training continues. The next checkpoint is
  // delayed if it would follow too soon for the cost of this one.
  void Save(const RunState& state);
  // Saves and waits until the checkpoint is on the disk.
  void SaveAndWait(const RunState& state);
  // Returns whether the best tensors of a state may still be read.
  bool IsWriting() const;

  uint64_t saved() const { return saved_; }
  // Returns how long training was stalled for saving.
  double stalled_seconds() const { return stalled_seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Tensors = std::vector<NamedTensor>;
  // A checkpoint without its tensors.
  struct Header {
    std::string path;
    nlohmann::json state;
    std::shared_ptr<const TensorCopies> best;
  };

  std::string Prefix() const;
  Tensors AllTensors() const;
  Header HeaderOf(const RunState& state) const;
  bool is_first() const { return ranks_ == nullptr || ranks_->rank() == 0; }
  absl::Status CheckSame(const CheckedReader& reader) const;
  absl::StatusOr<std::optional<std::string>> FindAndRestore(RunState* run);
  absl::Status RestoreFrom(const CheckedReader& reader, RunState* run);
  absl::Status Write(const Header& header, const Tensors& tensors);
  absl::Status TryToWrite(Header header, const Tensors& tensors);
  void RemoveOld();
  void Await();
  // Counts a checkpoint that was written, or warns about one that was not.
  void Count(const absl::Status& written);

  const Checkpointing options_;
  const size_t part_;
  Learner& learner_;
  ProgressSink* const progress_;
  Ranks* const ranks_;  // Null if the process is alone.
  // Used by the thread that writes; null if there is nothing to join.
  std::unique_ptr<Ranks> writing_ranks_;
  const nlohmann::json identity_;
  // The newest files that are known to be complete, at most two.
  std::set<std::string> whole_;
  TensorCopies copies_;  // The copies being written. Their memory is reused.
  std::future<absl::Status> writing_;
  Clock::time_point earliest_ = Clock::time_point::min();
  Clock::time_point next_time_ = Clock::time_point::max();
  uint64_t next_position_ = UINT64_MAX;
  uint64_t saved_ = 0;
  double stalled_seconds_ = 0;
};

// Returns the newest complete checkpoint of a folder. Errors: NotFound;
// DataLoss, none is complete, with the fault of the newest.
absl::StatusOr<std::string> NewestCheckpoint(const std::string& folder);

// Returns facts about a learner's checkpoint, from its identity and state. May
// throw nlohmann::json::exception.
using CheckpointFacts = absl::StatusOr<std::vector<FileFact>> (*)(
    const CheckedReader& reader, const nlohmann::json& training,
    const nlohmann::json& state);

// Returns the description for DescribeFile() of a checkpoint of that learner,
// or nothing if the file is not one.
absl::StatusOr<std::optional<FileInfo>> DescribeCheckpointOf(
    absl::string_view learner, const MappedFilePtr& file,
    CheckpointFacts facts);

}  // namespace firth

#endif  // FIRTH_RUN_CHECKPOINTS_H_
