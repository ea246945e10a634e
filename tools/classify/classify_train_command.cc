// firth classify train: labelled texts in, a classifier out.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "classify/classifying.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/progress_printer.h"
#include "command.h"
#include "firth/classifier.h"
#include "firth/text_file.h"
#include "train/checkpoint_options.h"

namespace firth::tools {
namespace {

// What fastText's files cannot hold should not be learnt first.
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

class ClassifyTrainCommand : public Command {
 public:
  ClassifyTrainCommand() : Command(kClassifyTrainText) {}

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
    absl::Status status = text_.CheckGiven();
    if (status.ok() && output_.empty()) {
      status =
          absl::InvalidArgumentError("give the model file with --output MODEL");
    }
    if (status.ok()) status = CheckWritten(output_);
    if (status.ok()) status = text_.options().Validate();
    if (status.ok()) status = options_.Validate();
    if (status.ok() && options_.held_out > 0) {
      status = CheckNotBoth(options, "held-out", "valid");
    }
    if (status.ok() && absl::EndsWith(output_, ".bin")) {
      status = CheckFitsFasttext(options_, inputs_.contextualizer);
    }
    if (status.ok()) status = checkpoints_.Finish(options, *text_.inputs());
    return status;
  }

  absl::StatusOr<ExitCode> Run(const OptionSet& options) override {
    const absl::Status reserved = checkpoints_.Reserve();
    if (!reserved.ok()) return reserved;
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

}  // namespace

CommandPtr MakeClassifyTrain() {
  return std::make_unique<ClassifyTrainCommand>();
}

}  // namespace firth::tools
