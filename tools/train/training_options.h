// The options of "firth train" on the command line, except those of reading and
// of checkpoints: TrainOptions, presets, where training starts, and what is
// measured on the way and at the end.

#ifndef FIRTH_TOOLS_TRAIN_TRAINING_OPTIONS_H_
#define FIRTH_TOOLS_TRAIN_TRAINING_OPTIONS_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "cli/option_set.h"
#include "firth/corpus.h"
#include "firth/fields.h"
#include "firth/train.h"
#include "firth/vector_io.h"
#include "firth/vector_training.h"

namespace firth::tools {

// The options of TrainOptions.
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
  // Returns the number of epochs of all views.
  int total_epochs() const;

 private:
  TrainOptions options_;
  FieldEditor fields_{&options_};
};

// Declares --preset, the name of a set of option values. An empty name in
// `target` means none.
void DeclarePreset(OptionSet* options, std::string* target);

// Gives the options of the preset its values, but for those that the user gave.
absl::Status ApplyPreset(const std::string& preset, const OptionSet& options);

// The options of what is measured on the way of a training.
class ValidationOptions {
 public:
  void Declare(OptionSet* options);
  bool has_text() const { return !files_.texts.empty(); }

  // Reads the held-out text, as the corpus was read, if there is one.
  absl::Status Read(const CorpusOptions& reading, const Corpus& corpus,
                    const Hooks& hooks);
  // Tells that test sets are looked up in lower case, where they are.
  void SayFolding(const Vocabulary& vocabulary) const;
  const Validation& validation() const { return loaded_.validation; }

 private:
  ValidationFiles files_;
  FieldEditor fields_{&files_};
  LoadedValidation loaded_;
};

// The start of a training run: at random, from given vectors (--init), or from
// a model that grows (--update).
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

  // Returns a line for people about the start of words; empty: at random.
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

// How well NCE normalized, in one line: the figures and what they mean.
std::string NormalizationLine(const NormalizationReport& report);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_TRAIN_TRAINING_OPTIONS_H_
