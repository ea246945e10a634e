// The options of a training run come from three places. Given options take
// precedence over those of the model that is updated or of a preset, and these
// over the defaults.

#include "firth/vector_training.h"

#include <variant>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/fields_json.h"
#include "base/json.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

// docs/measurements/recipes.md describes the effect of each value of "best".
constexpr Preset kPresets[] = {
    {"best",
     "words and n-grams with two window sizes, for the best vectors overall",
     "--arch skipgram --loss ns --subword-index buckets --min-n 3 --max-n 6 "
     "--directional --views 5,12 --shared-windows 2 --negative 15 "
     "--learning-rate 0.05 --subword-step 0.4 --word-step 0.4 --word-share 0.4 "
     "--add-output 0.3"},
    {"small", "words and n-grams, for texts of fewer than a million words",
     "--arch skipgram --loss ns --subword-index buckets --min-n 2 --max-n 5 "
     "--buckets 2000000 --min-count 2 --epochs 20 --learning-rate 0.1"},
    {"fast", "the shortest training time",
     "--arch skipgram --loss ns --shared-windows 2"},
    {"word2vec", "the defaults of word2vec.c",
     "--arch cbow --loss ns --cbow-gradient word2vec --negative 5 --dim 100 "
     "--window 5 --sample 1e-3 --min-count 5 --epochs 5 --learning-rate 0.05"},
    {"fasttext", "the defaults of fastText skipgram",
     "--arch skipgram --loss ns --subword-index buckets --min-n 3 --max-n 6 "
     "--buckets 2000000 --negative 5 --noise-exponent 0.5 --dim 100 --window 5 "
     "--sample 1e-4 --min-count 5 --epochs 5 --learning-rate 0.05"}};

std::vector<std::string> PresetNames() {
  std::vector<std::string> names;
  for (const Preset& preset : Presets()) names.emplace_back(preset.name);
  return names;
}

std::string GetText(const std::string& text) { return text; }

bool SetPreset(const std::string& name, std::string* preset) {
  const bool valid = name.empty() || absl::c_linear_search(PresetNames(), name);
  if (valid) *preset = name;
  return valid;
}

// Fields that cannot be given when a model is updated.
constexpr absl::string_view kNotOfUpdates[] = {"init-others", "vocab", "preset",
                                               "views"};

absl::Status CheckUpdate(const Json& given, const FieldEditor& fields,
                         const std::map<std::string, std::string>& model) {
  for (const absl::string_view name : kNotOfUpdates) {
    if (given.contains(std::string(name))) {
      return absl::InvalidArgumentError(
          absl::StrCat(name,
                       ": cannot be combined with update, which keeps the "
                       "options of the model"));
    }
  }
  std::vector<std::string> differences;
  for (const auto& [name, was] : model) {
    const Field* const field = fields.Find(name);
    if (field == nullptr || field->role != FieldRole::kShape) continue;
    const std::string is = fields.Text(name);
    if (given.contains(name) && is != was) {
      differences.push_back(
          absl::StrCat(name, " was ", was, " and is now ", is));
    }
  }
  if (!differences.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("update: the options must be those of the model: ",
                     absl::StrJoin(differences, "; ")));
  }
  if (fields.Text("loss") == HierarchicalSoftmaxOptions::kName) {
    return absl::InvalidArgumentError(
        "update: a model with loss hs cannot be updated, since its tree "
        "depends on the word counts; use another loss");
  }
  return absl::OkStatus();
}

std::vector<std::string> NamesOf(const FieldEditor& fields, FieldRole role) {
  std::vector<std::string> names;
  for (const std::string& name : fields.names()) {
    if (fields.Find(name)->role == role) names.push_back(name);
  }
  return names;
}

std::map<std::string, std::string> ModelOptions(const VectorFile& model,
                                                const FieldEditor& fields) {
  std::vector<std::string> names = NamesOf(fields, FieldRole::kShape);
  const std::vector<std::string> habits = NamesOf(fields, FieldRole::kHabit);
  names.insert(names.end(), habits.begin(), habits.end());
  return OptionsOfModel(model.metadata, model.vectors.dim(), names);
}

absl::Status TakePreset(const Json& given, FieldEditor* fields) {
  const auto name = given.find("preset");
  if (name == given.end() || !name->is_string()) return absl::OkStatus();
  for (const Preset& preset : Presets()) {
    if (preset.name != name->get<std::string>()) continue;
    for (const auto& [option, text] : preset.Values()) {
      if (!fields->SetText(option, text)) {
        return absl::InternalError(
            absl::StrCat("preset ", preset.name, ": ", option));
      }
    }
  }
  return absl::OkStatus();
}

// Returns the options used, for the report and the model, in the form of the
// command line. Leaves out paths, and the number of threads if it makes no
// difference.
std::string UsedOptions(VectorTraining options, bool updates, bool starts) {
  OrderedJson used = FieldsToJson(TableFor<VectorTraining>(), &options,
                                  {FieldRole::kPlace, FieldRole::kWork});
  const FieldEditor fields(&options);
  for (auto& [name, value] : used.items()) {
    if (!fields.Find(name)->choices.empty()) value = fields.Text(name);
  }
  if (!options.training.deterministic) {
    used["threads"] = options.training.threads;
  }
  for (const char* files : {"valid", "eval-analogies", "eval-similarity"}) {
    used.erase(files);
  }
  used.erase(options.training.views.empty() ? "views" : "window");
  if (options.preset.empty()) used.erase("preset");
  if (!updates) used.erase("update-counts");
  if (updates || !starts) used.erase("init-others");
  if (!updates && !starts) used.erase("freeze-init");
  if (options.corpus.max_word_bytes == CorpusOptions().max_word_bytes) {
    used.erase("max-word-bytes");
  }
  return DumpJson(used);
}

}  // namespace

absl::Span<const Preset> Presets() { return kPresets; }

std::vector<std::pair<std::string, std::string>> Preset::Values() const {
  std::vector<std::pair<std::string, std::string>> values;
  for (const absl::string_view word : absl::StrSplit(options, ' ')) {
    if (absl::StartsWith(word, "--")) {
      values.emplace_back(word.substr(2), "true");
    } else {
      values.back().second = std::string(word);
    }
  }
  return values;
}

FieldTable StartOptions::Fields() {
  FieldsOf<StartOptions> fields;
  fields.Section("Start");
  fields.Choice(
      "init-others", &StartOptions::keep_others, {"drop", "keep"},
      "choose what to do with words of --init that do not occur in the "
      "text: drop or keep them. Models with subwords cannot keep them",
      Field().Default("keep, or drop with subwords"));
  fields.Choice("update-counts", &StartOptions::update_counts,
                {"add", "new", "old"},
                "choose the counts used for subsampling and negative sampling "
                "after an update: the sum of both texts (add), those of the "
                "new text (new), or those of the model (old)");
  fields.Add("freeze-init", &StartOptions::freeze,
             "keep the vectors of --init or --update fixed, and train only "
             "those of other words");
  return fields;
}

FieldTable VectorTraining::Fields() {
  FieldsOf<VectorTraining> fields;
  fields.Part(&VectorTraining::corpus);
  fields.Part(&VectorTraining::vocabulary);
  fields.Section("Words");
  fields.Add(
      "vocab", &VectorTraining::given_vocabulary,
      "path to a vocabulary file with one word per line; its words are "
      "used instead of those that --min-count and --max-vocab would select",
      Field().ValueName("FILE").Place());
  fields.Section("Preset");
  fields.Written("preset", &VectorTraining::preset, GetText, SetPreset,
                 "set defaults for the options that are not given",
                 Field().ValueName(JoinAlternatives(PresetNames())));
  fields.Part(&VectorTraining::training);
  fields.Part(&VectorTraining::start);
  fields.Part(&VectorTraining::validation);
  fields.Part(&VectorTraining::checkpoints);
  return fields;
}

absl::Status VectorTraining::Validate() const {
  FIRTH_RETURN_IF_ERROR(CheckFields(*this));
  if (!given_vocabulary.empty() &&
      (vocabulary.min_count != VocabularyOptions().min_count ||
       vocabulary.max_vocab != 0)) {
    return absl::InvalidArgumentError(
        "vocab: the file determines the words, so min-count and max-vocab "
        "cannot be given");
  }
  FIRTH_RETURN_IF_ERROR(vocabulary.Validate());
  FIRTH_RETURN_IF_ERROR(checkpoints.Read().status());
  return training.Validate();
}

void CompleteTraining(FieldEditor* fields,
                      absl::FunctionRef<bool(absl::string_view)> given) {
  if (!given("subword-index") &&
      (given("min-n") || given("max-n") || given("buckets"))) {
    fields->SetText("subword-index", BucketSubwords::kName);
  }
  for (const std::string& name : fields->names()) {
    if (!given(name) && !fields->Applies(name)) fields->Reset(name);
  }
}

absl::StatusOr<VectorTraining> ReadVectorTraining(absl::string_view json,
                                                  const VectorFile* update) {
  VectorTraining options;
  FieldEditor fields(&options);
  // ReadFieldsJson() reports what is wrong with the JSON.
  Json given = ParseJson(json);
  if (!given.is_object()) given = Json::object();
  std::map<std::string, std::string> model;
  if (update != nullptr) model = ModelOptions(*update, fields);
  const auto is_given = [&](absl::string_view name) {
    return given.contains(std::string(name)) ||
           model.contains(std::string(name));
  };
  for (const auto& [name, text] : model) {
    if (fields.SetText(name, text)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("update: the model has the option ", name, " ", text,
                     ", which this version does not support"));
  }
  FIRTH_RETURN_IF_ERROR(TakePreset(given, &fields));
  CompleteTraining(&fields, is_given);
  FIRTH_RETURN_IF_ERROR(ReadFieldsJson(json, &fields));
  CompleteTraining(&fields, is_given);
  if (update != nullptr) {
    FIRTH_RETURN_IF_ERROR(CheckUpdate(given, fields, model));
    FIRTH_RETURN_IF_ERROR(CheckUpdatable(*update));
  }
  if (!options.training.views.empty() && given.contains("window")) {
    return absl::InvalidArgumentError(
        "window: cannot be combined with views, which give the windows");
  }
  FIRTH_RETURN_IF_ERROR(options.Validate());
  return options;
}

absl::StatusOr<Corpus> ReadTrainingText(const VectorTraining& options,
                                        const VectorFile* update,
                                        const Hooks& hooks) {
  if (update != nullptr) {
    const KnownWords known{update->vectors.vocabulary(),
                           options.start.update_counts};
    return ReadCorpus(options.corpus, known, options.vocabulary, hooks);
  }
  if (options.given_vocabulary.empty()) {
    return ReadCorpus(options.corpus, options.vocabulary, hooks);
  }
  FIRTH_ASSIGN_OR_RETURN(const Vocabulary given,
                         LoadVocabulary(options.given_vocabulary));
  return ReadCorpus(options.corpus, given, hooks);
}

absl::StatusOr<TrainedVectors> TrainVectors(const Corpus& corpus,
                                            const VectorTraining& options,
                                            const TrainingStart& start,
                                            const Hooks& hooks) {
  VectorTraining used = options;
  TrainOptions& training = used.training;
  const WordVectors* const vectors =
      start.update != nullptr ? &start.update->vectors : start.initial;
  if (vectors != nullptr) {
    const auto dim = static_cast<int>(vectors->dim());
    if (training.dim != dim && training.dim != TrainOptions().dim) {
      return absl::InvalidArgumentError(absl::StrCat(
          "dim: must be ", dim, ", as in the vectors to start from, found ",
          training.dim));
    }
    training.dim = dim;
  }
  if (training.learning_rate == 0) {
    training.learning_rate = DefaultLearningRate(training);
  }
  if (!std::holds_alternative<NoSubwords>(training.subwords)) {
    used.start.keep_others = false;
  }
  FIRTH_ASSIGN_OR_RETURN(Checkpointing checkpointing, used.checkpoints.Read());
  FIRTH_RETURN_IF_ERROR(ReserveCheckpoints(&checkpointing));
  FIRTH_ASSIGN_OR_RETURN(
      const LoadedValidation validation,
      LoadValidation(used.validation, used.corpus, corpus, hooks));
  return TrainVectors(corpus, used, start, checkpointing, validation.validation,
                      hooks);
}

absl::StatusOr<TrainedVectors> TrainVectors(const Corpus& corpus,
                                            const VectorTraining& options,
                                            const TrainingStart& start,
                                            const Checkpointing& checkpointing,
                                            const Validation& validation,
                                            const Hooks& hooks) {
  const bool updates = start.update != nullptr;
  InitialVectors vectors{.vectors = start.initial,
                         .freeze = options.start.freeze};
  if (updates) {
    vectors.vectors = &start.update->vectors;
    vectors.output = start.update->output;
    vectors.output_bias = start.update->output_bias;
  } else {
    vectors.keep_others = start.initial != nullptr && options.start.keep_others;
  }
  FIRTH_ASSIGN_OR_RETURN(TrainedModel model,
                         Train(corpus, options.training, hooks, vectors,
                               checkpointing, validation));
  if (hooks.progress != nullptr && vectors.vectors == nullptr) {
    const std::string advice =
        TrainingAdvice(options, corpus.report, model.report);
    if (!advice.empty()) hooks.progress->OnMilestone("  advice   " + advice);
  }
  VectorTraining used = options;
  used.training.threads = model.report.threads;
  TrainedVectors trained;
  trained.facts = {
      UsedOptions(std::move(used), updates, start.initial != nullptr),
      corpus.report, std::move(model.report),
      TraitsOf(options.training.objective).measures_normalization};
  trained.file = {std::move(model.vectors), std::move(model.output),
                  std::move(model.output_bias), ModelMetadata(trained.facts)};
  return trained;
}

absl::Status CheckUpdatable(const VectorFile& model) {
  if (model.output.empty()) {
    return absl::InvalidArgumentError(
        "update: the file has no output table, which an update needs. A "
        ".safetensors file of \"firth train\" without --views has one, and so "
        "does a fastText .bin; --init starts from vectors alone");
  }
  for (const auto& [option, none] :
       {std::pair("add-output", 0.0), std::pair("word-share", 1.0)}) {
    const auto found = model.metadata.find(option);
    double value = none;
    if (found == model.metadata.end() ||
        !absl::SimpleAtod(found->second, &value) || value == none) {
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat("update: the vectors were changed after training by --",
                     option, "; update the model as training wrote it"));
  }
  return absl::OkStatus();
}

std::map<std::string, std::string> OptionsOfModel(
    const std::map<std::string, std::string>& metadata, size_t dim,
    absl::Span<const std::string> names) {
  std::map<std::string, std::string> options;
  for (const std::string& name : names) {
    const auto found = metadata.find(name);
    if (found != metadata.end()) options.insert(*found);
  }
  options["dim"] = absl::StrCat(dim);
  // fastText files store the option negative for every loss.
  const auto loss = options.find("loss");
  if (loss != options.end() && loss->second != NegativeSamplingOptions::kName &&
      loss->second != NceOptions::kName) {
    options.erase("negative");
  }
  return options;
}

}  // namespace firth
