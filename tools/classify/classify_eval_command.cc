// firth classify eval: how well labels are predicted.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "classify/classifying.h"
#include "classify/label_table.h"
#include "cli/console.h"
#include "cli/json.h"
#include "cli/percent_sink.h"
#include "command.h"
#include "firth/classifier.h"
#include "firth/label_scores.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

constexpr CommandText kClassifyEvalText = {
    "classify eval", "measure the accuracy of a classifier",
    "MODEL [OTHER] --input FILE... [OPTION...]",
    "Predicts the labels of the texts in FILE and compares them with the "
    "labels given there. Prints the accuracy, the precision, recall and F1 of "
    "each label, the most frequent confusions, and how well the probabilities "
    "are calibrated. A text with several labels is correct if exactly these "
    "labels are predicted. A label that MODEL does not have counts as never "
    "predicted; if MODEL has none of the labels, the command fails. If MODEL "
    "is a fastText model whose labels keep their prefix, the prefix is added "
    "to the labels of FILE.\n\n"
    "If OTHER is given, both models are measured and compared. p is the "
    "probability of a difference at least as large between two equally good "
    "models, by McNemar's exact test. A star marks p below 0.05.\n\n"
    "  firth classify eval m.safetensors --input test.txt\n"
    "  firth classify eval a.safetensors b.bin --input test.txt"};

class ClassifyEvalCommand : public Command {
 public:
  ClassifyEvalCommand() : Command(kClassifyEvalText) {}

  void Declare(OptionSet* options) override {
    text_.Declare(
        "path to texts with the correct labels; - reads standard input",
        options);
    options->Section("Labels");
    options
        ->Real("threshold", &threshold_, 0, 1,
               "predict all labels with at least this probability, instead of "
               "using the thresholds estimated in training; only for texts "
               "with several labels")
        .default_text = "";
    options->Section("Output");
    options->Switch("json", &json_, "print one JSON object").Everyday();
    options->Section("Running");
    DeclareContextualizer(&contextualizer_, options);
    DeclareThreads(&threads_, options);
    options->Arguments("MODEL", 1, 2, &arguments_, {{"MODEL", Reads()}});
  }

  absl::Status Check(const OptionSet& options) override {
    threshold_given_ = options.Given("threshold");
    FIRTH_RETURN_IF_ERROR(text_.CheckGiven());
    return text_.options().Validate();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(const std::vector<LabelledText> texts,
                           text_.Read(nullptr));
    std::vector<LabelScores> scores;
    for (const std::string& path : arguments_) {
      FIRTH_ASSIGN_OR_RETURN(const Classifier classifier,
                             Classifier::Load(path, contextualizer_));
      FIRTH_ASSIGN_OR_RETURN(scores.emplace_back(), Score(classifier, texts));
    }
    if (json_) {
      Print(OneLine(ToJson(scores)) + "\n");
    } else {
      PrintTables(scores);
    }
    return ExitCode::kDone;
  }

 private:
  absl::StatusOr<LabelScores> Score(
      const Classifier& classifier,
      const std::vector<LabelledText>& texts) const {
    PredictOptions options;
    options.threads = threads_;
    if (classifier.has_several_labels()) options.top = 0;
    if (threshold_given_) options.threshold = threshold_;
    PercentSink progress;
    return ScoreLabels(classifier, texts, options, {&progress, nullptr},
                       text_.options().removed_prefix());
  }

  Json ToJson(const std::vector<LabelScores>& scores) const {
    if (scores.size() == 1) return Json::parse(LabelScoresJson(scores[0]));
    Json json = {{"models", Json::array()}};
    for (size_t i = 0; i < scores.size(); ++i) {
      Json& entry = json["models"].emplace_back(Json{{"file", arguments_[i]}});
      entry.update(Json::parse(LabelScoresJson(scores[i])));
    }
    json["compared"] = {
        {"p", McNemarP(scores[0].outcomes, scores[1].outcomes)}};
    return json;
  }

  void PrintTables(const std::vector<LabelScores>& scores) const {
    if (scores.size() == 2) {
      Print(absl::StrCat("A  ", arguments_[0], "\nB  ", arguments_[1], "\n\n",
                         ComparedTable(scores[0], scores[1])));
      return;
    }
    Print(ScoreLines(scores[0]));
    Print("\n" + LabelTable(scores[0]));
    const std::string confusion = ConfusionTable(scores[0]);
    if (!confusion.empty()) Print("\n" + confusion);
    Print("\n" + CalibrationTable(scores[0]));
  }

  LabelledInput text_;
  double threshold_ = 0;
  bool threshold_given_ = false;
  bool json_ = false;
  std::string contextualizer_;
  int threads_ = 0;
  std::vector<std::string> arguments_;
};

}  // namespace

CommandPtr MakeClassifyEval() {
  return std::make_unique<ClassifyEvalCommand>();
}

}  // namespace firth::tools
