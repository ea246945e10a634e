// The options of checkpoints, the same for every training, and how one that was
// broken off goes on with the options that it had.

#ifndef FIRTH_TOOLS_TRAIN_CHECKPOINT_OPTIONS_H_
#define FIRTH_TOOLS_TRAIN_CHECKPOINT_OPTIONS_H_

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/option_set.h"
#include "command.h"
#include "firth/checkpoint.h"
#include "firth/fields.h"

namespace firth::tools {

class CheckpointOptions {
 public:
  // command: "train", "lm train", ...
  explicit CheckpointOptions(std::string command)
      : command_(std::move(command)) {}

  void Declare(OptionSet* options);

  // First of all checks: with --resume, takes the options of the checkpoint
  // that were not given. `inputs`: where --input and arguments go. Errors:
  // InvalidArgument, with all options that differ; those of reading it.
  absl::Status TakeSaved(OptionSet* options, std::vector<std::string>* inputs);

  // With the options to keep in it. Errors: InvalidArgument.
  absl::Status Finish(const OptionSet& options,
                      const std::vector<std::string>& inputs);

  // Before the text is read: see ReserveCheckpoints(). Does nothing if there
  // is no folder.
  absl::Status Reserve();

  const Checkpointing& checkpointing() const { return checkpointing_; }
  // Prints that the training was interrupted, what is written, and the command
  // that continues it; `launcher` comes before that command, as "mpirun -n 4 ".
  void PrintInterrupted(absl::string_view what,
                        absl::string_view launcher = "") const;

 private:
  const std::string command_;
  CheckpointFiles files_;
  FieldEditor fields_{&files_};
  Checkpointing checkpointing_;  // once Finish() was called
};

// How a training ends that failed before there was anything to write: with the
// error, or as interrupted. (A signal may also show as a failed system call.)
absl::StatusOr<ExitCode> EndWithNothing(const absl::Status& error,
                                        const std::atomic<bool>* stop);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_TRAIN_CHECKPOINT_OPTIONS_H_
