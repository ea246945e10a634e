// The options of "firth train", except those of reading and of checkpoints:
// TrainOptions, presets, the start of training, and validation.

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
  // Declares the options except --threads, which reading declares.
  void Declare(OptionSet* options);

  // Completes the options after parsing. Options that were not given and do not
  // apply, such as those of a preset, get their defaults.
  void Complete(const OptionSet& given);

  // Checks the options. Errors: InvalidArgument, with both sides of a conflict.
  absl::Status Finish(const OptionSet& given, int threads);

  // Sets the dimension to that of given vectors, after Finish(). Errors:
  // InvalidArgument, --dim has another value.
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

// Sets the options of the preset that the user did not give.
absl::Status ApplyPreset(const std::string& preset, const OptionSet& options);

// The options for validation during training.
class ValidationOptions {
 public:
  void Declare(OptionSet* options);
  bool has_text() const { return !files_.texts.empty(); }

  // Reads the held-out text, if given, in the same way as the corpus.
  absl::Status Read(const CorpusOptions& reading, const Corpus& corpus,
                    const Hooks& hooks);
  // Prints a message if test sets are looked up in lower case.
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

  // Takes options that were not given from the model of --update, after
  // parsing. Errors: InvalidArgument, options that differ from the model's
  // shape; those of reading.
  absl::Status TakeModelOptions(OptionSet* options) const;
  // Checks the options after a preset has been applied.
  absl::Status Check(const OptionSet& options,
                     const TrainingOptions& training) const;
  // Loads the files and sets the dimension. Called before the text is read, so
  // that errors are reported early.
  absl::Status Load(const OptionSet& options, TrainingOptions* training);

  bool updates() const { return !update_.empty(); }
  // Returns the loaded start. Called after Load().
  TrainingStart start() const;
  const StartOptions& options() const { return options_; }
  // Returns words that the result contains in addition to the corpus.
  Vocabulary KeptWords() const;

  // Returns a line about the start of words, or "" if it is random.
  std::string Account(const InitialWords& words) const;

 private:
  absl::Status CheckUpdate(const OptionSet& options) const;
  absl::Status LoadModel();

  std::string init_;
  std::string update_;
  StartOptions options_;
  FieldEditor fields_{&options_};
  std::optional<VectorFile> start_;  // From --init, or from --update.
};

// Returns a line with the normalization of NCE and its interpretation.
std::string NormalizationLine(const NormalizationReport& report);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_TRAIN_TRAINING_OPTIONS_H_
