// Where a training starts: at random, from given vectors (--init), or from a
// model that grows (--update).

#ifndef FIRTH_TOOLS_TRAIN_START_OPTIONS_H_
#define FIRTH_TOOLS_TRAIN_START_OPTIONS_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "cli/option_set.h"
#include "firth/fields.h"
#include "firth/train.h"
#include "firth/vector_io.h"
#include "firth/vector_training.h"
#include "train/training_options.h"

namespace firth::tools {

class StartFiles {
 public:
  void Declare(OptionSet* options);

  // After parsing: the options of --update's model, as if they had been given,
  // but for those that are. Errors: InvalidArgument, options that the model
  // cannot have; those of reading it.
  absl::Status TakeModelOptions(OptionSet* options) const;
  // After a preset has been applied.
  absl::Status Check(const OptionSet& options,
                     const TrainingOptions& training) const;
  // Before the text is read: a file that does not fit is said at once. Sets the
  // dimension.
  absl::Status Load(const OptionSet& options, TrainingOptions* training);

  bool updates() const { return !update_.empty(); }
  // After Load().
  TrainingStart start() const;
  const StartOptions& options() const { return options_; }
  // Words that the result has besides those of the corpus.
  Vocabulary KeptWords() const;

  // What the words started from, a line for people; empty: at random.
  std::string Account(const InitialWords& words) const;

 private:
  absl::Status CheckUpdate(const OptionSet& options) const;
  absl::Status LoadModel();

  std::string init_;
  std::string update_;
  StartOptions options_;
  FieldEditor fields_{&options_};
  std::optional<VectorFile> start_;  // of either; tables only of --update
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_TRAIN_START_OPTIONS_H_
