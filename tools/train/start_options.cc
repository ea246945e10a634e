#include "train/start_options.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/json.h"
#include "cli/vector_files.h"

namespace firth::tools {
namespace {

// Metadata are text, as it would be typed.
Json AsTyped(const std::string& text) {
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return value.is_number() || value.is_boolean() ? value : Json(text);
}

// Its shape, and what else an update does as the training before it did, unless
// told otherwise.
Json ModelOptions(const VectorFileInfo& info, const OptionSet& set) {
  Json options = Json::object();
  for (const FieldRole role : {FieldRole::kShape, FieldRole::kHabit}) {
    for (const std::string& name : set.NamesOf(role)) {
      const auto found = info.metadata.find(name);
      if (found != info.metadata.end()) options[name] = AsTyped(found->second);
    }
  }
  options["dim"] = info.dim;
  // fastText's files name it for each loss.
  const Json loss = options.value("loss", Json("ns"));
  if (loss != "ns" && loss != "nce") options.erase("negative");
  return options;
}

}  // namespace

void StartOptions::Declare(OptionSet* options) {
  options->Section("Start");
  options->Path("init", "FILE", &init_, ReadsVectors(),
                "start from the vectors of this file, of any format, instead "
                "of random ones; --dim is theirs. Words that it does not have "
                "start from its n-grams, or at random");
  options
      ->Choice<bool>("init-others", &keep_others_,
                     {{"keep", true}, {"drop", false}},
                     "what becomes of words of --init that the text does not "
                     "have; with subwords they cannot be kept")
      .GoesWith({"init"});
  options
      ->Path("update", "FILE", &update_, ReadsVectors(),
             "go on with this model, a .safetensors or fastText's .bin, on new "
             "text")
      .Everyday()
      .details =
      "all its words stay, frequent new ones join them, starting from its "
      "n-grams or at random; options that are not given are those of the "
      "model";
  options
      ->Choice<KnownCounts>(
          "update-counts", &counts_,
          {{"add", KnownCounts::kAdd},
           {"new", KnownCounts::kReplace},
           {"old", KnownCounts::kKeep}},
          "the counts of the model's words, by which frequent words are "
          "thinned out and noise is drawn: in both texts, in the new one, in "
          "the old one")
      .GoesWith({"update"});
  options
      ->Switch("freeze-init", &freeze_,
               "the vectors of --init or --update stay as they are, and those "
               "of other words are learnt around them")
      .GoesWith({"init", "update"});
}

absl::Status StartOptions::TakeModelOptions(OptionSet* options) const {
  if (!updates()) return absl::OkStatus();
  const absl::StatusOr<VectorFileInfo> info = DescribeVectorFile(update_);
  if (!info.ok()) return absl::FailedPreconditionError(info.status().message());
  const absl::Status status = options->TakeSaved(
      ModelOptions(*info, *options),
      [](const Option& option) { return option.role != FieldRole::kShape; });
  if (status.ok()) return status;
  return absl::InvalidArgumentError(
      absl::StrCat(update_, ": ", status.message()));
}

absl::Status StartOptions::Check(const OptionSet& options,
                                 const TrainingOptions& training) const {
  if (updates()) return CheckUpdate(options);
  if (!init_.empty() && !training.options().views.empty()) {
    return absl::InvalidArgumentError(
        "--init: --views start from random vectors; expected one of them");
  }
  return absl::OkStatus();
}

absl::Status StartOptions::CheckUpdate(const OptionSet& options) const {
  for (const char* name : {"init", "init-others", "vocab", "preset", "views"}) {
    if (options.Given(name)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", name,
                       ": --update goes on with a model as it is; expected one "
                       "of them"));
    }
  }
  if (options.Find("loss")->value() == "hs") {
    return absl::InvalidArgumentError(absl::StrCat(
        update_,
        ": --update: expected a model with an output row for each "
        "word, found --loss hs, whose tree changes with the counts"));
  }
  if (options.Given("phrases")) {
    return absl::InvalidArgumentError(
        "--phrases finds those of the new text alone, which the model may not "
        "have; expected text that \"firth phrases\" made as the model's");
  }
  return absl::OkStatus();
}

absl::Status StartOptions::LoadModel() {
  absl::StatusOr<VectorFile> model = LoadVectorFile(update_);
  if (!model.ok()) return model.status();
  if (model->output.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        update_,
        ": --update: expected a model with its output table, as "
        "\"firth train\" writes to .safetensors (but not with --views) and "
        "fastText to .bin, found vectors alone; --init starts from these"));
  }
  const auto differs = [&model](const char* option, double from) {
    const auto found = model->metadata.find(option);
    return found != model->metadata.end() && AsTyped(found->second) != from;
  };
  if (differs("phrases", 0)) {
    PrintMessage(
        absl::StrCat("warning: the words of ", update_,
                     " were joined by "
                     "--phrases; those of the new text are read as they are"));
  }
  for (const auto& [option, none] :
       {std::pair("add-output", 0.0), std::pair("word-share", 1.0)}) {
    if (!differs(option, none)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        update_,
        ": --update: expected vectors as training left them, found those of --",
        option));
  }
  start_ = *std::move(model);
  return absl::OkStatus();
}

absl::Status StartOptions::Load(const OptionSet& options,
                                TrainingOptions* training) {
  if (updates()) {
    absl::Status status = LoadModel();
    if (!status.ok()) return status;
  } else if (!init_.empty()) {
    absl::StatusOr<WordVectors> vectors = LoadVectors(init_);
    if (!vectors.ok()) return vectors.status();
    start_.emplace();
    start_->vectors = *std::move(vectors);
    if (!options.Given("init-others") && training->has_subwords()) {
      keep_others_ = false;
    }
  } else {
    return absl::OkStatus();
  }
  return training->SetDim(options, start_->vectors.dim());
}

InitialVectors StartOptions::Initial() const {
  if (!start_.has_value()) return {};
  return {&start_->vectors, start_->output, start_->output_bias, freeze_,
          !updates() && keep_others_};
}

Vocabulary StartOptions::KeptWords() const {
  const bool kept = Initial().keep_others;
  return kept ? start_->vectors.vocabulary() : Vocabulary();
}

KnownWords StartOptions::Known() const {
  if (!updates()) return {};
  return {start_->vectors.vocabulary(), counts_};
}

std::string StartOptions::Account(const InitialWords& words) const {
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
                    " more kept that are not in the text");
  }
  return line + "\n";
}

}  // namespace firth::tools
