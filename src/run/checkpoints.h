// Checkpoints: the saved states of one training in a folder, two at most.
//
// Files are checkpoint-PART-POSITION.safetensors (see io/checked_tensors.h):
// the part of a training that is several, from 1 (0: it is one), and the words
// or tokens trained. By name the last one is the newest. Those kept are two
// that are known to be whole, as this training wrote them or went on from them:
// any other one may be damaged, and counts for nothing. A file holds the
// learner's tensors, those of the best so far as "best.NAME", and as metadata
//
//   {"learner": its name, "training": its identity,
//    "state": its state with "rate_factor", "note": the caller's}
//
// Files of before there were several learners have no "learner": they are of
// word vectors.
//
// Of ranks, the first writes, with what the others send it of divided tensors:
// a checkpoint is the same file for any number of ranks, there when it is
// whole. All of them read it.

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
#include "run/learner.h"
#include "run/tensor_copies.h"

namespace firth {

// What a run knows besides its learner.
struct RunState {
  double rate_factor = 1;  // of the learning rate
  // What was learnt at the best measurement; null: there was none.
  std::shared_ptr<TensorCopies> best;
};

class Checkpoints {
 public:
  // Of options with which ReserveCheckpoints() went well. Borrows the learner
  // and what the hooks point to.
  Checkpoints(const Checkpointing& options, size_t part, Learner& learner,
              const Hooks& hooks);
  // Waits for what is being written.
  ~Checkpoints();

  // Before all that follows, by all ranks; as are the others but IsDue() and
  // IsWriting(). Errors: those of the ranks.
  absl::Status Begin();

  // Sets the learner to the newest checkpoint that is whole, with a warning for
  // each that is not, a folder or a pipe of such a name too; no value if there
  // is none. Errors: InvalidArgument, another training's; DataLoss, there are
  // checkpoints, but none is whole; Cancelled, the user asked to stop.
  absl::StatusOr<std::optional<RunState>> Restore();

  // Whether it is time to save, which the first rank says. Thread-safe while
  // the others are not called.
  bool IsDue() const;
  // From here on it is time by what the options say.
  void Plan();

  // Copies the tensors and writes them in the background; does nothing while
  // the last ones are still being written. A checkpoint that cannot be written
  // is a warning: the training goes on. One that would follow too soon for what
  // this one cost is put off.
  void Save(const RunState& state);
  // Returns when it is on the disk.
  void SaveAndWait(const RunState& state);
  // Whether the best of a state may still be read.
  bool IsWriting() const;

  uint64_t saved() const { return saved_; }
  // How long the training has stood still for saving.
  double stalled_seconds() const { return stalled_seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Tensors = std::vector<NamedTensor>;
  // A checkpoint but for its tensors.
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
  // Counts a checkpoint that was written, or warns of one that was not.
  void Count(const absl::Status& written);

  const Checkpointing options_;
  const size_t part_;
  Learner& learner_;
  ProgressSink* const progress_;
  Ranks* const ranks_;  // null: it works alone
  // For the thread that writes; null: there is nothing to join.
  std::unique_ptr<Ranks> writing_ranks_;
  const nlohmann::json identity_;
  std::set<std::string> whole_;  // the newest that are known to be, at most two
  TensorCopies copies_;          // being written; their memory serves again
  std::future<absl::Status> writing_;
  Clock::time_point earliest_ = Clock::time_point::min();
  Clock::time_point next_time_ = Clock::time_point::max();
  uint64_t next_position_ = UINT64_MAX;
  uint64_t saved_ = 0;
  double stalled_seconds_ = 0;
};

// The newest checkpoint of a folder that is whole. Errors: NotFound; DataLoss,
// none is whole, with what is wrong with the newest.
absl::StatusOr<std::string> NewestCheckpoint(const std::string& folder);

// What there is to tell of a learner's checkpoint, from its identity and state.
// May throw nlohmann::json::exception.
using CheckpointFacts = absl::StatusOr<std::vector<FileFact>> (*)(
    const CheckedReader& reader, const nlohmann::json& training,
    const nlohmann::json& state);

// What DescribeFile() tells of a checkpoint of that learner; nothing if the
// file is none.
absl::StatusOr<std::optional<FileInfo>> DescribeCheckpointOf(
    absl::string_view learner, const MappedFilePtr& file,
    CheckpointFacts facts);

}  // namespace firth

#endif  // FIRTH_RUN_CHECKPOINTS_H_
