// firth classify train trains a classifier on labeled texts. firth classify
// tune searches for the best options.

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "classify/classifying.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/progress_printer.h"
#include "command.h"
#include "firth/classifier.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"
#include "firth/tune.h"
#include "train/checkpoint_options.h"

namespace firth::tools {
namespace {

// Refuses, before training, a model that fastText's format cannot hold.
absl::Status CheckFitsFasttext(const ClassifierOptions& options,
                               const std::string& contextualizer) {
  const bool has_ngrams = options.word_ngrams > 1 || options.max_n > 0;
  const char* const found =
      options.parts != ClassifierParts::kDeep
          ? "a wide part, which --parts deep omits"
      : options.buckets == 0 && has_ngrams
          ? "n-grams with rows of their own, which --buckets N hashes"
      : options.lowercase                         ? "--lowercase"
      : options.normalize != Normalization::kNone ? "--normalize"
      : options.split_punctuation                 ? "--split-punctuation"
      : !contextualizer.empty()                   ? "--contextualizer"
                                                  : nullptr;
  if (found == nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--output: a fastText .bin file holds only vectors of words "
                   "and hashed n-grams. It cannot be combined with ",
                   found));
}

constexpr CommandText kClassifyTrainText = {
    "classify train", "train a text classifier",
    "--input FILE... --output MODEL [OPTION...]",
    "Trains a classifier on labeled texts. Features are the words, the n-grams "
    "of words and the n-grams of characters. MODEL is a safetensors file with "
    "everything that \"firth classify predict\" needs, except for a "
    "contextualizer that is not fine-tuned. If its name ends in .bin, it is "
    "written in fastText's format, which cannot hold every classifier.\n\n"
    "  firth classify train --input train.txt --output m.safetensors\n"
    "  firth classify train --input mail.csv --form csv \\\n"
    "    --label-column kind --output m.safetensors\n\n"
    "A text may have several labels. Ctrl-C ends training early and writes the "
    "best model so far. \"firth classify tune\" searches for better options."};

class ClassifyTrainCommand : public CommandWith<kClassifyTrainText> {
 public:
  void Declare(OptionSet* options) override {
    text_.Declare("path to labeled texts; - reads standard input", options);
    options
        ->Paths("valid", "FILE", &valid_, Reads(),
                "path to validation texts in the same form, used to choose the "
                "best epoch and to calibrate the probabilities; by default, a "
                "part of the training texts is used")
        .Everyday();
    options->Section("Features");
    DeclareClassifierInputs(&inputs_, options);
    DeclareClassifierOptions(&fields_, fields_.names(), options);
    options->At("patience").GoesWith({"valid"});
    options->Section("Output");
    options
        ->Path("output", "MODEL", &output_, Writes(),
               "path to the model file to write")
        .Everyday();
    options->Path("report", "FILE", &report_, Writes(),
                  "path to a JSON report with options, scores and times");
    options->Switch("quiet", &quiet_, "print only warnings and errors")
        .As(FieldRole::kWork);
    checkpoints_.Declare(options);
    options->Arguments("FILE", 0, SIZE_MAX, text_.inputs(), {});
  }

  absl::Status Complete(OptionSet* options) override {
    return checkpoints_.TakeSaved(options, text_.inputs());
  }

  absl::Status Check(const OptionSet& options) override {
    FIRTH_RETURN_IF_ERROR(text_.CheckGiven());
    if (output_.empty()) {
      return absl::InvalidArgumentError(
          "give the model file with --output MODEL");
    }
    FIRTH_RETURN_IF_ERROR(CheckWritten(output_));
    FIRTH_RETURN_IF_ERROR(text_.options().Validate());
    FIRTH_RETURN_IF_ERROR(options_.Validate());
    if (options_.held_out > 0) {
      FIRTH_RETURN_IF_ERROR(CheckNotBoth(options, "held-out", "valid"));
    }
    if (absl::EndsWith(output_, ".bin")) {
      FIRTH_RETURN_IF_ERROR(
          CheckFitsFasttext(options_, inputs_.contextualizer));
    }
    return checkpoints_.Finish(options, *text_.inputs());
  }

  absl::StatusOr<ExitCode> Run(const OptionSet& options) override {
    FIRTH_RETURN_IF_ERROR(checkpoints_.Reserve());
    const InterruptGuard interrupt;
    const absl::StatusOr<std::vector<LabelledText>> train =
        text_.ReadToLearn(interrupt.flag());
    if (!train.ok()) return EndWithNothing(train.status(), interrupt.flag());
    absl::StatusOr<std::vector<LabelledText>> valid =
        valid_.empty() ? std::vector<LabelledText>()
                       : text_.Read(valid_, interrupt.flag());
    if (!valid.ok()) return EndWithNothing(valid.status(), interrupt.flag());
    return Train(options, *train, *valid, interrupt);
  }

 private:
  absl::StatusOr<ExitCode> Train(const OptionSet& options,
                                 const std::vector<LabelledText>& train,
                                 const std::vector<LabelledText>& valid,
                                 const InterruptGuard& interrupt) const {
    ProgressPrinter progress(quiet_, static_cast<int>(options_.epochs));
    ClassifierReport report;
    const absl::StatusOr<Classifier> classifier = Classifier::Train(
        train, valid, inputs_, options_, {&progress, interrupt.flag()}, &report,
        checkpoints_.checkpointing());
    progress.Clear();
    if (!classifier.ok()) {
      return EndWithNothing(classifier.status(), interrupt.flag());
    }
    if (report.interrupted) {
      checkpoints_.PrintInterrupted("what has been learned so far");
    }
    absl::Status status = classifier->Save(output_);
    if (status.ok() && !report_.empty()) {
      Json json = {{"program", "firth"},
                   {"version", FIRTH_VERSION},
                   {"options", options.UsedValues()}};
      json.update(Json::parse(ReportJson(report)));
      status = WriteTextFile(report_, Indented(json));
    }
    if (!status.ok()) return status;
    if (!quiet_) {
      PrintNote(ReportLines(report) + WroteLine(output_, *classifier));
    }
    return interrupt.Interrupted() ? ExitCode::kInterrupted : ExitCode::kDone;
  }

  LabelledInput text_;
  std::vector<std::string> valid_;
  ClassifierInputs inputs_;
  ClassifierOptions options_;
  FieldEditor fields_{&options_};
  std::string output_;
  CheckpointOptions checkpoints_{"classify train"};
  std::string report_;
  bool quiet_ = false;
};

constexpr size_t kMostRows = 10;

// Returns the options as a user would type them, without those that have no
// effect or are equal to `start`.
std::string ChangedOptions(ClassifierOptions options, ClassifierOptions start) {
  const FieldEditor now(&options);
  const FieldEditor before(&start);
  std::string text;
  for (const std::string& name : now.names()) {
    const std::string value = now.Text(name);
    if (name == "seed" || name == "threads" || !now.Applies(name) ||
        value == before.Text(name)) {
      continue;
    }
    absl::StrAppend(&text, text.empty() ? "" : " ", "--", name);
    if (now.Find(name)->kind != FieldKind::kFlag) {
      absl::StrAppend(&text, " ", value);
    }
  }
  return text;
}

constexpr CommandText kClassifyTuneText = {
    "classify tune", "search for the best options of a classifier",
    "--input FILE... [--output MODEL] [OPTION...]",
    "Trains many classifiers with different options on a part of the texts, "
    "continues with the better half of them on more texts, and repeats this "
    "until the budget is spent. Prints all trials, and the options of the best "
    "trial as arguments of \"firth classify train\". Options that are given on "
    "the command line stay fixed. With --output, a classifier with the best "
    "options is then trained on all texts.\n\n"
    "  firth classify tune --input train.txt --budget 5m \\\n"
    "    --metric macro-f1 --output m.safetensors\n"
    "  firth classify tune --input train.txt --max-size 1M\n\n"
    "The same command always finds the same options, with any number of "
    "threads. Ctrl-C ends the search and keeps the best options so far."};

class ClassifyTuneCommand : public CommandWith<kClassifyTuneText> {
 public:
  void Declare(OptionSet* options) override {
    text_.Declare("path to labeled texts; - reads standard input", options);
    options
        ->Paths("valid", "FILE", &valid_, Reads(),
                "path to validation texts in the same form, used instead of "
                "--folds")
        .Everyday();
    options->Fields(&tune_fields_);
    options->Section("Features");
    DeclareClassifierInputs(&inputs_, options);
    std::vector<std::string> names = fields_.names();
    std::erase_if(names, [](const std::string& name) {
      return name == "seed" || name == "threads";
    });
    DeclareClassifierOptions(&fields_, names, options);
    for (const std::string& name : names) options->At(name).everyday = false;
    options->Section("Output");
    options
        ->Path("output", "MODEL", &output_, Writes(),
               "path to the model file to write, trained with the best options "
               "on all texts")
        .Everyday();
    options->Path("report", "FILE", &report_, Writes(),
                  "path to a JSON file in which all trials are recorded");
    options->Switch("quiet", &quiet_, "print only the best options")
        .As(FieldRole::kWork);
    options->Arguments("FILE", 0, SIZE_MAX, text_.inputs(), {});
  }

  absl::Status Check(const OptionSet& options) override {
    FIRTH_RETURN_IF_ERROR(text_.CheckGiven());
    FIRTH_RETURN_IF_ERROR(CheckWrittenAsOwn(
        output_,
        "a fastText .bin file cannot hold all kinds of models that are tried; "
        "write one with \"firth classify train\" and the options found"));
    FIRTH_RETURN_IF_ERROR(text_.options().Validate());
    FIRTH_RETURN_IF_ERROR(tune_.Validate());
    FIRTH_RETURN_IF_ERROR(CheckNotBoth(options, "folds", "valid"));
    for (const std::string& name : fields_.names()) {
      if (options.Given(name)) fixed_.push_back(name);
    }
    return start_.Validate();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet& options) override {
    const InterruptGuard interrupt;
    const absl::StatusOr<std::vector<LabelledText>> train =
        text_.ReadToLearn(interrupt.flag());
    if (!train.ok()) return EndWithNothing(train.status(), interrupt.flag());
    const absl::StatusOr<std::vector<LabelledText>> valid =
        valid_.empty() ? std::vector<LabelledText>()
                       : text_.Read(valid_, interrupt.flag());
    if (!valid.ok()) return EndWithNothing(valid.status(), interrupt.flag());
    const absl::StatusOr<TuneReport> report = Search(*train, *valid, interrupt);
    if (!report.ok()) return EndWithNothing(report.status(), interrupt.flag());
    if (report->interrupted) {
      PrintMessage(output_.empty()
                       ? "interrupted; these are the best options so far:"
                       : "interrupted; training with the best options so far. "
                         "Press Ctrl-C again to end");
    }
    if (!report_.empty()) {
      FIRTH_RETURN_IF_ERROR(
          WriteTextFile(report_, Indented(ReportOf(options, *report))));
    }
    Tell(*report);
    if (!output_.empty()) {
      return Train(*train, *valid, report->trials[report->best], interrupt);
    }
    return interrupt.Interrupted() ? ExitCode::kInterrupted : ExitCode::kDone;
  }

 private:
  absl::StatusOr<TuneReport> Search(const std::vector<LabelledText>& train,
                                    const std::vector<LabelledText>& valid,
                                    const InterruptGuard& interrupt) const {
    ProgressPrinter progress(quiet_, 0);
    return TuneClassifier(train, valid, inputs_, start_, fixed_, tune_,
                          {&progress, interrupt.flag()},
                          [&](const TuneTrial& trial) {
                            progress.Clear();
                            if (!quiet_) PrintNote(TrialLine(trial));
                          });
  }

  std::string TrialLine(const TuneTrial& trial) const {
    const std::string changed = ChangedOptions(trial.options, start_);
    return absl::StrCat(absl::StrFormat("  trial %3d  ", trial.number + 1),
                        ScoreText(trial), "  ",
                        changed.empty() ? "as given" : changed, "\n");
  }

  // Returns text such as "97.31% +-0.12 on 5 folds".
  std::string ScoreText(const TuneTrial& trial) const {
    if (!trial.left_out.empty()) return "left out: " + trial.left_out;
    std::string text = ShareText(trial.score);
    if (trial.folds > 1) {
      absl::StrAppendFormat(&text, " +-%.2f on %d folds", 100 * trial.deviation,
                            trial.folds);
    } else if (trial.share < 1) {
      absl::StrAppend(&text, " with 1/", 1 / trial.share, " of the texts");
    } else if (valid_.empty()) {
      text += " on 1 fold";
    }
    return text;
  }

  Json ReportOf(const OptionSet& options, const TuneReport& report) const {
    Json json = {{"program", "firth"},
                 {"version", FIRTH_VERSION},
                 {"options", options.UsedValues()},
                 {"metric", TuneMetricText(tune_.metric)}};
    json.update(Json::parse(ReportJson(report)));
    return json;
  }

  // Prints the best trials, those with the most measurements first.
  void Tell(const TuneReport& report) const {
    const TuneTrial& best = report.trials[report.best];
    if (!quiet_) {
      std::vector<const TuneTrial*> trials;
      for (const TuneTrial& trial : report.trials) {
        if (trial.folds > 0 && trial.left_out.empty()) trials.push_back(&trial);
      }
      const auto rank = [](const TuneTrial* trial) {
        return std::make_tuple(trial->share, trial->folds, trial->score);
      };
      std::stable_sort(trials.begin(), trials.end(),
                       [&](const TuneTrial* a, const TuneTrial* b) {
                         return rank(a) > rank(b);
                       });
      Print(TrialTable(trials));
      Print(absl::StrCat("\nbest of ", Counted(trials.size(), "trial"), " on ",
                         Thousands(report.tokens), " tokens: ", ScoreText(best),
                         " ", TuneMetricText(tune_.metric),
                         "; as given: ", ScoreText(report.trials[0]), "\n"));
    }
    const std::string changed = ChangedOptions(best.options, {});
    Print(changed.empty() ? "the defaults\n" : changed + "\n");
  }

  std::string TrialTable(const std::vector<const TuneTrial*>& trials) const {
    TextTable table("rrrrl");
    table.AddRow({"trial", "folds", "score", "size", "options"});
    for (size_t i = 0; i < std::min(kMostRows, trials.size()); ++i) {
      const TuneTrial& trial = *trials[i];
      const std::string changed = ChangedOptions(trial.options, start_);
      table.AddRow({absl::StrCat(trial.number + 1), absl::StrCat(trial.folds),
                    ShareText(trial.score), HumanBytes(trial.bytes),
                    changed.empty() ? "as given" : changed});
    }
    return table.ToString();
  }

  absl::StatusOr<ExitCode> Train(const std::vector<LabelledText>& train,
                                 const std::vector<LabelledText>& valid,
                                 const TuneTrial& best,
                                 const InterruptGuard& interrupt) const {
    ClassifierOptions options = best.options;
    options.threads = tune_.threads;
    ProgressPrinter progress(quiet_, static_cast<int>(options.epochs));
    // After an interrupted search, the best options so far are still used.
    const bool interrupted = interrupt.Interrupted();
    const Hooks hooks = {&progress, interrupted ? nullptr : interrupt.flag()};
    ClassifierReport report;
    absl::StatusOr<Classifier> classifier =
        Classifier::Train(train, valid, inputs_, options, hooks, &report);
    if (classifier.ok() && tune_.max_bytes > 0 && !report.interrupted) {
      classifier = QuantizeClassifier(*classifier, train,
                                      {.max_bytes = tune_.max_bytes}, hooks);
    }
    progress.Clear();
    if (!classifier.ok())
      return EndWithNothing(classifier.status(), interrupt.flag());
    if (report.interrupted) {
      PrintMessage(absl::StrCat(
          "interrupted; writing what has been learned so far",
          tune_.max_bytes > 0 ? ", which is larger than --max-size" : ""));
    }
    FIRTH_RETURN_IF_ERROR(classifier->Save(output_));
    if (!quiet_) {
      PrintNote(ReportLines(report) + WroteLine(output_, *classifier));
    }
    return interrupt.Interrupted() ? ExitCode::kInterrupted : ExitCode::kDone;
  }

  LabelledInput text_;
  std::vector<std::string> valid_;
  TuneOptions tune_;
  FieldEditor tune_fields_{&tune_};
  ClassifierInputs inputs_;
  ClassifierOptions start_;
  FieldEditor fields_{&start_};
  std::vector<std::string> fixed_;
  std::string output_;
  std::string report_;
  bool quiet_ = false;
};

}  // namespace

CommandPtr MakeClassifyTrain() {
  return std::make_unique<ClassifyTrainCommand>();
}

CommandPtr MakeClassifyTune() {
  return std::make_unique<ClassifyTuneCommand>();
}

}  // namespace firth::tools
