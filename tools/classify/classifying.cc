// The commands of classifiers declare the same inputs and options, read labeled
// texts in the same forms, and print the same warnings.

#include "classify/classifying.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/console.h"
#include "cli/human.h"

namespace firth::tools {

void LeftOutSink::OnWarning(absl::string_view message) {
  PrintMessage(message);
}

void LabelledInput::Declare(absl::string_view input_help, OptionSet* options) {
  Option& input = options->PathField(&fields_, "input", Reads());
  input.help = std::string(input_help);
  input.letter = 'i';
  for (const std::string& name : fields_.names()) {
    if (name != "input") options->Fields(&fields_, {name});
  }
}

absl::Status LabelledInput::CheckGiven() const {
  if (!options_.inputs.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("give the texts with --input FILE");
}

absl::StatusOr<std::vector<LabelledText>> LabelledInput::Read(
    const std::atomic<bool>* stop) const {
  return Read(options_.inputs, stop);
}

absl::StatusOr<std::vector<LabelledText>> LabelledInput::Read(
    const std::vector<std::string>& inputs,
    const std::atomic<bool>* stop) const {
  LabelledTextOptions options = options_;
  options.inputs = inputs;
  LeftOutSink sink;
  return ReadLabelledText(options, stop, &sink);
}

absl::StatusOr<std::vector<LabelledText>> LabelledInput::ReadToLearn(
    const std::atomic<bool>* stop) const {
  absl::StatusOr<std::vector<LabelledText>> texts = Read(stop);
  if (!texts.ok()) return texts;
  const std::string& label = texts->front().labels.front();
  for (const LabelledText& text : *texts) {
    if (text.labels.size() > 1 || text.labels.front() != label) return texts;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      absl::StrJoin(options_.inputs, ", "),
      ": a classifier needs texts with at least two different labels, but all ",
      Counted(texts->size(), "text"), " have the label ", label));
}

void DeclareClassifierInputs(ClassifierInputs* inputs, OptionSet* options) {
  options
      ->Path("vectors", "FILE", &inputs->vectors, Reads(),
             "path to a vector file in any format; words start from its "
             "vectors, and n-grams from the means of their words. This helps "
             "if there are few labeled texts. A model of \"firth sentences "
             "train\" also sets how texts become words")
      .Everyday();
  options->Path(
      "contextualizer", "MODEL", &inputs->contextualizer, Reads(),
      "path to a language model that \"firth lm train\" wrote. The mean of its "
      "states over a text is used as an additional feature; this is slow");
}

void DeclareClassifierOptions(FieldEditor* fields,
                              const std::vector<std::string>& names,
                              OptionSet* options) {
  for (const std::string& name : names) options->Fields(fields, {name});
  options->At("tune-contextualizer").GoesWith({"contextualizer"});
}

void DeclareContextualizer(std::string* path, OptionSet* options) {
  options->Path("contextualizer", "MODEL", path, Reads(),
                "path to the contextualizer that the classifier was trained "
                "with, if there is one");
}

void DeclareThreads(int* threads, OptionSet* options) {
  options
      ->Integer("threads", threads, 0, kMostThreads,
                "number of threads; 0 means all cores")
      .As(FieldRole::kWork);
}

absl::Status CheckWritten(const std::string& output) {
  if (!absl::EndsWith(output, ".ftz")) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--output: ", output,
                   " cannot be written, since .ftz models are only read; use "
                   ".safetensors, or .bin for fastText"));
}

absl::Status CheckWrittenAsOwn(const std::string& output,
                               absl::string_view why) {
  if (!absl::EndsWith(output, ".bin")) return CheckWritten(output);
  return absl::InvalidArgumentError(absl::StrCat(
      "--output: ", output, " must be a .safetensors file, since ", why));
}

absl::Status CheckNotBoth(const OptionSet& options, absl::string_view name,
                          absl::string_view other) {
  if (!options.Given(name) || !options.Given(other)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--", name, " cannot be combined with --", other,
                   "; give only one of them"));
}

std::string ReportLines(const ClassifierReport& report) {
  std::string lines = absl::StrCat(
      "  trained  on ", Counted(report.words, "word"), " in ",
      Counted(report.texts, "text"), " of ", Counted(report.labels, "label"),
      ": ", Counted(report.features, "n-gram"), ", ",
      Counted(report.parameters, "parameter"), ", in ",
      HumanSeconds(report.seconds), "\n");
  if (report.best_epoch > 0 && report.best_epoch <= report.epochs.size()) {
    const ClassifierEpoch& best = report.epochs[report.best_epoch - 1];
    absl::StrAppend(&lines, "  best     epoch ", report.best_epoch, " of ",
                    report.epochs.size());
    if (best.score.has_value()) {
      absl::StrAppend(&lines, ": ", ShareText(*best.score),
                      " accuracy on texts that were held out");
    }
    lines += "\n";
  }
  if (report.calibrated_on == 0) {
    lines += "  probabilities are not calibrated, since no text was held out\n";
  }
  if (report.calibration_error.has_value()) {
    absl::StrAppend(&lines, "  probabilities are off by ",
                    ShareText(*report.calibration_error), " on average\n");
  }
  return lines;
}

std::string WroteLine(const std::string& path, const Classifier& classifier) {
  std::error_code error;
  const uintmax_t bytes = std::filesystem::file_size(path, error);
  return absl::StrCat("  wrote    ", path, ": ",
                      Counted(classifier.labels().size(), "label"),
                      error ? "" : ", " + HumanBytes(bytes), "\n");
}

}  // namespace firth::tools
