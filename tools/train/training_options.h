// The options of training, on the command line: those of TrainOptions.

#ifndef FIRTH_TOOLS_TRAIN_TRAINING_OPTIONS_H_
#define FIRTH_TOOLS_TRAIN_TRAINING_OPTIONS_H_

#include <cstddef>

#include "absl/status/status.h"
#include "cli/option_set.h"
#include "firth/fields.h"
#include "firth/train.h"

namespace firth::tools {

class TrainingOptions {
 public:
  // --threads is not among them: reading has it too.
  void Declare(OptionSet* options);

  // After parsing: what is meant by what was given. Options that were not given
  // and do not apply, such as a preset's, have their defaults then.
  void Complete(const OptionSet& given);

  // Errors: InvalidArgument for what contradicts, with both sides.
  absl::Status Finish(const OptionSet& given, int threads);

  // After Finish(): the dimension is that of given vectors. Errors:
  // InvalidArgument when another one was asked for.
  absl::Status SetDim(const OptionSet& given, size_t dim);

  const TrainOptions& options() const { return options_; }
  bool has_subwords() const;
  // Of all trainings.
  int total_epochs() const;

 private:
  TrainOptions options_;
  FieldEditor fields_{&options_};
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_TRAIN_TRAINING_OPTIONS_H_
