// The checkpoint options of all training commands, and the continuation of an
// interrupted training run with its original options.

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
  // `command` is the name of the command, such as "lm train".
  explicit CheckpointOptions(std::string command)
      : command_(std::move(command)) {}

  void Declare(OptionSet* options);

  // With --resume, takes options that were not given from the checkpoint, and
  // inputs into `inputs` if it is empty. Call it before other checks. Errors:
  // InvalidArgument, with all options that differ; those of reading.
  absl::Status TakeSaved(OptionSet* options, std::vector<std::string>* inputs);

  // Stores the options in the checkpoints. Errors: InvalidArgument.
  absl::Status Finish(const OptionSet& options,
                      const std::vector<std::string>& inputs);

  // Also stores values that were chosen after Finish(), so that --resume uses
  // them.
  void StoreChosen(const OptionSet& options,
                   const std::vector<std::string>& names);

  // Calls ReserveCheckpoints(). Call it before the text is read. Does nothing
  // without a folder.
  absl::Status Reserve();

  const Checkpointing& checkpointing() const { return checkpointing_; }
  // Prints that training was interrupted, what is written, and the command that
  // continues it, after `launcher`, such as "mpirun -n 4 ".
  void PrintInterrupted(absl::string_view what,
                        absl::string_view launcher = "") const;

 private:
  const std::string command_;
  CheckpointFiles files_;
  FieldEditor fields_{&files_};
  Checkpointing checkpointing_;  // Set by Finish().
};

// Ends a training run that has no results, with the error or as interrupted. A
// signal may have caused the error, if a system call failed.
absl::StatusOr<ExitCode> EndWithNothing(const absl::Status& error,
                                        const std::atomic<bool>* stop);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_TRAIN_CHECKPOINT_OPTIONS_H_
