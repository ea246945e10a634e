// A complete training run of word vectors: its options as one set, presets, the
// text, validation, and the resulting file. Both the C interface and the
// command "firth train" are built on it.

#ifndef FIRTH_VECTOR_TRAINING_H_
#define FIRTH_VECTOR_TRAINING_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/checkpoint.h"
#include "firth/corpus.h"
#include "firth/fields.h"
#include "firth/progress.h"
#include "firth/train.h"
#include "firth/vector_io.h"
#include "firth/word_vectors.h"

namespace firth {

// A named set of option values.
struct Preset {
  absl::string_view name;
  absl::string_view summary;
  absl::string_view options;  // Options as the user would type them.

  // Returns the names of the options, without dashes, and their values. The
  // value of a switch is "true".
  std::vector<std::pair<std::string, std::string>> Values() const;
};
absl::Span<const Preset> Presets();

// How training uses the vectors from which it starts.
struct StartOptions {
  // Keep words that are not in the text in the result. Never with subwords.
  bool keep_others = true;
  bool freeze = false;  // Keep the vectors fixed while other words are trained.
  // How the counts of a continued model are updated.
  KnownCounts update_counts = KnownCounts::kAdd;

  static FieldTable Fields();
};

// Files with which a training run is measured after each epoch.
struct ValidationFiles {
  // Held-out texts, as in CorpusOptions::inputs.
  std::vector<std::string> texts;
  std::vector<std::string> analogies;     // Files for EvaluateAnalogies().
  std::vector<std::string> similarities;  // Files for EvaluateSimilarity().
  // Epochs without improvement before training stops; 0 means never.
  int patience = 0;

  bool has_sets() const { return !analogies.empty() || !similarities.empty(); }

  static FieldTable Fields();
};

// A validation together with the text that it borrows.
struct LoadedValidation {
  std::shared_ptr<const Corpus> text;
  Validation validation;
};

// Reads the held-out text with the vocabulary of the corpus and the options
// `reading`, and checks that the test sets are readable and contain enough
// known words. The score is the mean of the accuracies and rank correlations,
// in percent. Errors name the option: "eval-analogies: FILE: ...".
absl::StatusOr<LoadedValidation> LoadValidation(const ValidationFiles& files,
                                                const CorpusOptions& reading,
                                                const Corpus& corpus,
                                                const Hooks& hooks = {});

// All options of "firth train" except those of phrases and of output files.
struct VectorTraining {
  CorpusOptions corpus;
  VocabularyOptions vocabulary;
  // File with the words of the vocabulary; if empty, words are selected by
  // count.
  std::string given_vocabulary;
  // Name of the preset whose values are set; empty for none.
  std::string preset;
  TrainOptions training;
  StartOptions start;
  ValidationFiles validation;
  CheckpointFiles checkpoints;

  static FieldTable Fields();
  absl::Status Validate() const;
};

// Reads options from a JSON object. Options that it does not contain are those
// of the continued model `update`, which may be null, or else of the preset, or
// else the defaults. Errors: InvalidArgument, with the names of contradicting
// options.
absl::StatusOr<VectorTraining> ReadVectorTraining(
    absl::string_view json, const VectorFile* update = nullptr);

// Completes the options after the given ones have been set: --min-n, --max-n
// and --buckets select bucket n-grams, and options that were not given and do
// not apply, such as those of a preset, are reset to their defaults.
void CompleteTraining(FieldEditor* fields,
                      absl::FunctionRef<bool(absl::string_view name)> given);

// Reads the text, with all words of `update` if it is not null. Errors: those
// of ReadCorpus() and LoadVocabulary().
absl::StatusOr<Corpus> ReadTrainingText(const VectorTraining& options,
                                        const VectorFile* update = nullptr,
                                        const Hooks& hooks = {});

// Summary of a finished training run, for its report and its model file.
struct TrainingFacts {
  std::string options;  // Options used, as a JSON object.
  CorpusReport corpus;
  TrainReport training;
  bool has_normalization = false;  // Whether the objective was NCE.
  double write_seconds = 0;
};
// Returns the summary as JSON.
std::string ReportJson(const TrainingFacts& facts);
std::string ReportJson(const CorpusReport& report);
// Returns metadata for the model file: the options as the user would type them,
// and key results. Equal training runs have equal metadata.
std::map<std::string, std::string> ModelMetadata(const TrainingFacts& facts);

// Returns one line of advice, such as "the text is small (9,000 words);
// --preset small is made for such texts". Returns "" if the options suit the
// text, if training was interrupted, or if nothing was learned although most of
// the text was kept. Meant for training runs that start from random vectors.
std::string TrainingAdvice(const VectorTraining& options,
                           const CorpusReport& corpus,
                           const TrainReport& training);

struct TrainedVectors {
  VectorFile file;
  TrainingFacts facts;
};

// Model or vectors from which training starts. `update` is a model to continue,
// the same as when the text was read. Both may be null. Borrowed.
struct TrainingStart {
  const VectorFile* update = nullptr;
  const WordVectors* initial = nullptr;
};

// Trains on a text read by ReadTrainingText(), and reports TrainingAdvice() as
// a milestone. Errors: those of Train(), LoadValidation() and
// ReserveCheckpoints().
absl::StatusOr<TrainedVectors> TrainVectors(const Corpus& corpus,
                                            const VectorTraining& options,
                                            const TrainingStart& start = {},
                                            const Hooks& hooks = {});

// Trains with checkpoints and validation prepared by the caller, who must also
// have set the dimension and the learning rate. Only the training and start
// options are used. Words of `initial` that are not in the text are rejected
// with subwords. Errors: those of Train().
absl::StatusOr<TrainedVectors> TrainVectors(const Corpus& corpus,
                                            const VectorTraining& options,
                                            const TrainingStart& start,
                                            const Checkpointing& checkpointing,
                                            const Validation& validation,
                                            const Hooks& hooks);

// Checks whether training can continue with this model. Errors:
// InvalidArgument, with what was expected and found.
absl::Status CheckUpdatable(const VectorFile& model);

// Returns those of the options `names` with which the model was trained, as the
// user would type them, and its "dim".
std::map<std::string, std::string> OptionsOfModel(
    const std::map<std::string, std::string>& metadata, size_t dim,
    absl::Span<const std::string> names);

}  // namespace firth

#endif  // FIRTH_VECTOR_TRAINING_H_
