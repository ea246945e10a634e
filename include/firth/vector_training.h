// A training of word vectors as a whole: its options as one set, the presets
// of them, its text, what measures it, and the file that comes of it. The C
// interface is written over it, and the command "firth train" is, but for what
// it says on the way.

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

// A name for a set of option values.
struct Preset {
  absl::string_view name;
  absl::string_view summary;
  absl::string_view options;  // as they would be typed

  // The names of the options, without dashes, and their values; "true" is that
  // of a switch.
  std::vector<std::pair<std::string, std::string>> Values() const;
};
absl::Span<const Preset> Presets();

// These say what a training does with the vectors that it starts from.
struct StartOptions {
  bool keep_others = true;  // words of theirs that the text does not have are
                            // in the result, too; never with subwords
  bool freeze = false;      // they stay as they are, and others learn around
                            // them
  KnownCounts update_counts = KnownCounts::kAdd;  // of a model that goes on

  static FieldTable Fields();
};

// The files that measure a training after each epoch.
struct ValidationFiles {
  std::vector<std::string> texts;         // held out; as CorpusOptions::inputs
  std::vector<std::string> analogies;     // as EvaluateAnalogies() reads them
  std::vector<std::string> similarities;  // as EvaluateSimilarity() does
  int patience = 0;  // stop after so many epochs without a better one; 0: go on

  bool has_sets() const { return !analogies.empty() || !similarities.empty(); }

  static FieldTable Fields();
};

// A validation with the text that it borrows.
struct LoadedValidation {
  std::shared_ptr<const Corpus> text;
  Validation validation;
};

// Reads the held-out text with the vocabulary of the corpus, as `reading` says,
// and looks whether the test sets can be read and have enough known words. The
// score is then the mean of the accuracies and the rank correlations, in
// percent. Errors name the option: "eval-analogies: FILE: ...".
absl::StatusOr<LoadedValidation> LoadValidation(const ValidationFiles& files,
                                                const CorpusOptions& reading,
                                                const Corpus& corpus,
                                                const Hooks& hooks = {});

// All options of "firth train" but those of phrases and of files to write.
struct VectorTraining {
  CorpusOptions corpus;
  VocabularyOptions vocabulary;
  std::string given_vocabulary;  // a file with the words; empty: by counts
  std::string preset;            // whose values stand in it; empty: none
  TrainOptions training;
  StartOptions start;
  ValidationFiles validation;
  CheckpointFiles checkpoints;

  static FieldTable Fields();
  absl::Status Validate() const;
};

// The options that a JSON object names. The others are those of the model that
// goes on, which may be null, else those of the preset, else the defaults.
// Errors: InvalidArgument, with the names of what contradicts.
absl::StatusOr<VectorTraining> ReadVectorTraining(
    absl::string_view json, const VectorFile* update = nullptr);

// After the options that were given have been set: --min-n, --max-n and
// --buckets choose buckets of n-grams, and what was not given and does not
// apply, as a preset's, has its default again.
void CompleteTraining(FieldEditor* fields,
                      absl::FunctionRef<bool(absl::string_view name)> given);

// Reads the text, with all words of `update` if that is not null. Errors: those
// of ReadCorpus() and LoadVocabulary().
absl::StatusOr<Corpus> ReadTrainingText(const VectorTraining& options,
                                        const VectorFile* update = nullptr,
                                        const Hooks& hooks = {});

// A finished training tells this of itself, in its report and in its model.
struct TrainingFacts {
  std::string options;  // in use, a JSON object by name
  CorpusReport corpus;
  TrainReport training;
  bool has_normalization = false;  // the objective was NCE
  double write_seconds = 0;
};
// JSON: all of it.
std::string ReportJson(const TrainingFacts& facts);
std::string ReportJson(const CorpusReport& report);
// For the model file: the options as they would be typed, and what came of
// them. Equal trainings have equal metadata.
std::map<std::string, std::string> ModelMetadata(const TrainingFacts& facts);

// Returns one line of advice, such as "the text is small (9,000 words);
// --preset small is made for such texts". Returns "" if the options suit the
// text, if the training was interrupted, or if it learned nothing although most
// of the text was kept. Meant for training that starts from random vectors.
std::string TrainingAdvice(const VectorTraining& options,
                           const CorpusReport& corpus,
                           const TrainReport& training);

struct TrainedVectors {
  VectorFile file;
  TrainingFacts facts;
};

// The start of a training run: the model that it continues, which is that of
// the reading, or vectors. Both may be null. Borrowed.
struct TrainingStart {
  const VectorFile* update = nullptr;
  const WordVectors* initial = nullptr;
};

// Trains on a text that ReadTrainingText() read, and reports TrainingAdvice()
// as a milestone. Errors: those of Train(), LoadValidation() and
// ReserveCheckpoints().
absl::StatusOr<TrainedVectors> TrainVectors(const Corpus& corpus,
                                            const VectorTraining& options,
                                            const TrainingStart& start = {},
                                            const Hooks& hooks = {});

// The same for a caller that has reserved the checkpoints, loaded what measures
// the training and set dimension and learning rate: of `options` those of the
// training and of the start count, and words of `initial` that the text does
// not have are refused with subwords. Errors: those of Train().
absl::StatusOr<TrainedVectors> TrainVectors(const Corpus& corpus,
                                            const VectorTraining& options,
                                            const TrainingStart& start,
                                            const Checkpointing& checkpointing,
                                            const Validation& validation,
                                            const Hooks& hooks);

// Whether a training can go on with this model. Errors: InvalidArgument, with
// what was expected and found.
absl::Status CheckUpdatable(const VectorFile& model);

// Returns, for those options in `names` that the model was trained with, their
// values as they would be typed, and its "dim".
std::map<std::string, std::string> OptionsOfModel(
    const std::map<std::string, std::string>& metadata, size_t dim,
    absl::Span<const std::string> names);

}  // namespace firth

#endif  // FIRTH_VECTOR_TRAINING_H_
