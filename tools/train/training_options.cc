// With --update, options that are not given are taken from the model.

#include "train/training_options.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/json.h"
#include "cli/vector_files.h"
#include "firth/query.h"
#include "firth/status_macros.h"
#include "query/evaluation_table.h"

namespace firth::tools {
namespace {

// Converts a text of the metadata to the type of its option.
Json AsTyped(const std::string& text) {
  const Json value = ParseJson(text);
  return value.is_number() || value.is_boolean() ? value : Json(text);
}

// Returns the options that an update takes from the model by default: its
// shape, and how it was trained (kHabit).
Json ModelOptions(const VectorFileInfo& info, const OptionSet& set) {
  std::vector<std::string> names = set.NamesOf(FieldRole::kShape);
  const std::vector<std::string> habits = set.NamesOf(FieldRole::kHabit);
  names.insert(names.end(), habits.begin(), habits.end());
  Json options = Json::object();
  for (const auto& [name, text] :
       OptionsOfModel(info.metadata, info.dim, names)) {
    options[name] = AsTyped(text);
  }
  return options;
}

absl::string_view Verdict(const NormalizationReport& report) {
  const double off = std::abs(report.mean_ln_z);
  if (off < 0.1 && report.stddev_ln_z < 0.5) {
    return "the scores are close to probabilities";
  }
  if (off < 0.5 && report.stddev_ln_z < 1) {
    return "the scores are roughly probabilities";
  }
  return "the scores are not yet probabilities; more noise words (--negative) "
         "or epochs bring the mean closer to 0";
}

}  // namespace

void TrainingOptions::Declare(OptionSet* options) {
  std::vector<std::string> names = fields_.names();
  names.erase(std::find(names.begin(), names.end(), "threads"));
  options->Fields(&fields_, names);
  options->At("subword-index").default_text =
      "none, or buckets if --min-n, --max-n or --buckets is given";
  options->At("min-n").help +=
      ". If --subword-index is not given, it is then set to buckets";
}

void TrainingOptions::Complete(const OptionSet& given) {
  CompleteTraining(
      &fields_, [&given](absl::string_view name) { return given.Given(name); });
}

absl::Status TrainingOptions::Finish(const OptionSet& given, int threads) {
  if (!options_.views.empty() && given.Given("window")) {
    return absl::InvalidArgumentError(
        "--window cannot be combined with --views, which give the windows");
  }
  options_.threads = threads;
  if (options_.learning_rate == 0) {
    options_.learning_rate = DefaultLearningRate(options_);
  }
  return options_.Validate();
}

absl::Status TrainingOptions::SetDim(const OptionSet& given, size_t dim) {
  if (given.Given("dim") && static_cast<size_t>(options_.dim) != dim) {
    return absl::InvalidArgumentError(
        absl::StrCat("--dim ", options_.dim, ": the vectors of --init have ",
                     dim, " dimensions; omit --dim or give ", dim));
  }
  options_.dim = static_cast<int>(dim);
  return options_.Validate();
}

bool TrainingOptions::has_subwords() const {
  return !std::holds_alternative<NoSubwords>(options_.subwords);
}

int TrainingOptions::total_epochs() const {
  const auto trainings = static_cast<int>(options_.views.size());
  return options_.epochs * (trainings > 0 ? trainings : 1);
}

void DeclarePreset(OptionSet* options, std::string* target) {
  std::vector<std::pair<std::string, std::string>> names;
  std::vector<std::string> summaries;
  std::vector<std::string> all_options;
  for (const Preset& preset : Presets()) {
    names.emplace_back(preset.name, preset.name);
    summaries.push_back(absl::StrCat(preset.name, " (", preset.summary, ")"));
    all_options.push_back(absl::StrCat(preset.name, " means ", preset.options));
  }
  options
      ->Choice("preset", target, names,
               absl::StrCat("set defaults for the options that are not given: ",
                            absl::StrJoin(summaries, ", ")))
      .Everyday()
      .details = absl::StrJoin(all_options, ". ");
}

absl::Status ApplyPreset(const std::string& name, const OptionSet& options) {
  for (const Preset& preset : Presets()) {
    if (preset.name != name) continue;
    for (const auto& [option_name, text] : preset.Values()) {
      const Option& option = *options.Find(option_name);
      if (options.Given(option_name)) continue;
      const bool is_switch = option.value_name.empty();
      FIRTH_RETURN_IF_ERROR(option.set(is_switch ? "" : text));
    }
  }
  return absl::OkStatus();
}

void ValidationOptions::Declare(OptionSet* options) {
  options->Section("Validation");
  for (const char* name : {"valid", "eval-analogies", "eval-similarity"}) {
    options->PathField(&fields_, name, Reads());
  }
  options->Fields(&fields_, {"patience"});
}

absl::Status ValidationOptions::Read(const CorpusOptions& reading,
                                     const Corpus& corpus, const Hooks& hooks) {
  absl::StatusOr<LoadedValidation> loaded =
      LoadValidation(files_, reading, corpus, hooks);
  if (!loaded.ok()) {
    return absl::Status(loaded.status().code(),
                        absl::StrCat("--", loaded.status().message()));
  }
  loaded_ = *std::move(loaded);
  return absl::OkStatus();
}

void ValidationOptions::SayFolding(const Vocabulary& vocabulary) const {
  if (files_.has_sets() && IsLowercase(vocabulary)) PrintMessage(kFoldedNote);
}

void StartFiles::Declare(OptionSet* options) {
  options->Section("Start");
  options->Path("init", "FILE", &init_, Reads(),
                "path to a vector file in any format; training starts from its "
                "vectors instead of random ones and uses its number of "
                "dimensions. Words that the file does not contain start from "
                "its n-grams if it has any, otherwise from random vectors");
  options->Fields(&fields_, {"init-others"});
  options->At("init-others").GoesWith({"init"});
  options
      ->Path("update", "FILE", &update_, Reads(),
             "path to a model (.safetensors, or fastText's .bin) whose "
             "training is continued on new text")
      .details =
      "All words of the model are kept. Frequent new words are added; they "
      "start from the model's n-grams if it has any, otherwise from random "
      "vectors. Options that are not given are taken from the model";
  options->Fields(&fields_, {"update-counts", "freeze-init"});
  options->At("update-counts").GoesWith({"update"});
  options->At("freeze-init").GoesWith({"init", "update"});
}

absl::Status StartFiles::TakeModelOptions(OptionSet* options) const {
  if (!updates()) return absl::OkStatus();
  const absl::StatusOr<VectorFileInfo> info = DescribeVectorFile(update_);
  if (!info.ok()) return absl::FailedPreconditionError(info.status().message());
  const absl::Status status = options->TakeSaved(
      ModelOptions(*info, *options),
      [](const Option& option) { return option.role != FieldRole::kShape; });
  if (!status.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(update_, ": ", status.message()));
  }
  // Comes first, because options for another --loss would hide this error.
  if (options->Find("loss")->value() == "hs") {
    return absl::InvalidArgumentError(
        absl::StrCat(update_,
                     ": --update: a model with --loss hs cannot be updated, "
                     "since its tree depends on the word counts"));
  }
  return absl::OkStatus();
}

absl::Status StartFiles::Check(const OptionSet& options,
                               const TrainingOptions& training) const {
  if (updates()) return CheckUpdate(options);
  if (!init_.empty() && !training.options().views.empty()) {
    return absl::InvalidArgumentError(
        "--init cannot be combined with --views, which start from random "
        "vectors");
  }
  return absl::OkStatus();
}

absl::Status StartFiles::CheckUpdate(const OptionSet& options) const {
  for (const char* name : {"init", "init-others", "vocab", "preset", "views"}) {
    if (options.Given(name)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", name,
                       " cannot be combined with --update, which keeps the "
                       "options of the model"));
    }
  }
  if (options.Given("phrases")) {
    return absl::InvalidArgumentError(
        "--phrases cannot be combined with --update, since the phrases of the "
        "new text may not be in the model; prepare the text with \"firth "
        "phrases\" as for the model");
  }
  return absl::OkStatus();
}

absl::Status StartFiles::LoadModel() {
  FIRTH_ASSIGN_OR_RETURN(VectorFile model, LoadAndWarn(update_));
  if (absl::Status status = CheckUpdatable(model); !status.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(update_, ": --", status.message()));
  }
  const auto phrases = model.metadata.find("phrases");
  if (phrases != model.metadata.end() && phrases->second != "0") {
    PrintMessage(absl::StrCat(
        "warning: the words of ", update_,
        " were joined by --phrases; the words of the new text are not joined"));
  }
  start_ = std::move(model);
  return absl::OkStatus();
}

absl::Status StartFiles::Load(const OptionSet& options,
                              TrainingOptions* training) {
  if (updates()) {
    FIRTH_RETURN_IF_ERROR(LoadModel());
  } else if (!init_.empty()) {
    FIRTH_ASSIGN_OR_RETURN(WordVectors vectors, LoadVectors(init_));
    start_.emplace();
    start_->vectors = std::move(vectors);
    if (!options.Given("init-others") && training->has_subwords()) {
      options_.keep_others = false;
    }
  } else {
    return absl::OkStatus();
  }
  return training->SetDim(options, start_->vectors.dim());
}

TrainingStart StartFiles::start() const {
  if (!start_.has_value()) return {};
  if (updates()) return {&*start_, nullptr};
  return {nullptr, &start_->vectors};
}

Vocabulary StartFiles::KeptWords() const {
  const WordVectors* const initial = start().initial;
  const bool kept = initial != nullptr && options_.keep_others;
  return kept ? initial->vocabulary() : Vocabulary();
}

std::string StartFiles::Account(const InitialWords& words) const {
  if (!start_.has_value()) return "";
  std::string line =
      absl::StrCat("  ", updates() ? "update  " : "init    ", " ",
                   Counted(words.given, "word"), " from the file");
  if (words.from_n_grams > 0) {
    absl::StrAppend(&line, ", ", Thousands(words.from_n_grams),
                    " from its n-grams");
  }
  absl::StrAppend(&line, ", ", Thousands(words.at_random), " at random");
  if (!updates()) {
    absl::StrAppend(&line, ", ", Thousands(words.others),
                    " more kept although they are not in the text");
  }
  return line + "\n";
}

std::string NormalizationLine(const NormalizationReport& report) {
  return absl::StrFormat("mean ln Z %.3f, deviation %.3f, on %s: %s",
                         report.mean_ln_z, report.stddev_ln_z,
                         Counted(report.windows, "held-out window"),
                         Verdict(report));
}

}  // namespace firth::tools
