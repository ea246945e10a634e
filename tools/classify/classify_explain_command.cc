// firth classify explain: which n-grams speak for and against labels.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "classify/classifying.h"
#include "cli/closest_name.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/json.h"
#include "command.h"
#include "firth/classifier.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

constexpr CommandText kClassifyExplainText = {
    "classify explain", "show which n-grams support a label",
    "MODEL [OPTION...]",
    "Without texts, lists the n-grams with the highest weight for each label. "
    "With texts, lists the n-grams of each text that support the predicted "
    "label, or the one given by --label, and with a minus sign those that "
    "oppose it. A weight is the amount that the n-gram adds to the score of "
    "the label, in nats. In n-grams of characters, < and > mark the beginning "
    "and the end of a word.\n\n"
    "  firth classify explain m.safetensors\n"
    "  firth classify explain m.safetensors --text \"shares rose\"\n"
    "  firth classify explain m.safetensors --input mail.txt --label spam"};

class ClassifyExplainCommand : public Command {
 public:
  ClassifyExplainCommand() : Command(kClassifyExplainText) {}

  void Declare(OptionSet* options) override {
    text_.Declare("path to texts to explain; - reads standard input", options);
    options->Text("text", "TEXT", &one_text_, "explain this one text")
        .Everyday();
    options->Section("Labels");
    options
        ->Text("label", "LABEL", &label_,
               "explain this label; the default is the most probable label of "
               "each text, or every label if there are no texts")
        .Everyday();
    options->Integer("top", &top_, 1, 1000000, "number of n-grams to print")
        .Everyday();
    options->Section("Output");
    options->Switch("json", &json_, "print one JSON object per text or label")
        .Everyday();
    options->Section("Running");
    DeclareContextualizer(&contextualizer_, options);
    options->Arguments("MODEL", 1, 1, &arguments_, {{"MODEL", Reads()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (text_.inputs()->empty()) return absl::OkStatus();
    if (!one_text_.empty()) {
      return absl::InvalidArgumentError("give either --text or --input");
    }
    return text_.options().Validate();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(const Classifier classifier,
                           Classifier::Load(arguments_[0], contextualizer_));
    size_t label = kNone;
    if (!label_.empty()) {
      FIRTH_ASSIGN_OR_RETURN(label, FindLabel(classifier));
    }
    if (!one_text_.empty()) {
      FIRTH_RETURN_IF_ERROR(ExplainText(classifier, one_text_, label));
    } else if (!text_.inputs()->empty()) {
      FIRTH_RETURN_IF_ERROR(ExplainTexts(classifier, label));
    } else {
      ExplainLabels(classifier, label);
    }
    return ExitCode::kDone;
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  absl::StatusOr<size_t> FindLabel(const Classifier& classifier) const {
    const std::vector<std::string>& labels = classifier.labels();
    const auto found = std::find(labels.begin(), labels.end(), label_);
    if (found != labels.end()) return found - labels.begin();
    return absl::NotFoundError(absl::StrCat("--label: ", arguments_[0],
                                            " has no label \"", label_, "\"",
                                            DidYouMean(labels, label_)));
  }

  void ExplainLabels(const Classifier& classifier, size_t label) const {
    const auto tell = [&](size_t i, const std::vector<NgramWeight>& ngrams) {
      const std::string& name = classifier.labels()[i];
      Print(json_ ? JsonLine({{"label", name}, {"ngrams", ToJson(ngrams)}})
                  : absl::StrCat(name, "\n", NgramTable(ngrams)));
    };
    if (label != kNone) {
      tell(label, classifier.Strongest(label, top_));
    } else {
      classifier.VisitStrongest(top_, tell);
    }
  }

  absl::Status ExplainTexts(const Classifier& classifier, size_t label) const {
    LabelledTextOptions options = text_.options();
    options.with_labels = false;
    LeftOutSink sink;
    FIRTH_ASSIGN_OR_RETURN(LabelledTextReader reader,
                           LabelledTextReader::Open(options, nullptr, &sink));
    for (;;) {
      FIRTH_ASSIGN_OR_RETURN(const std::vector<LabelledText> texts,
                             reader.Next(kMostTexts));
      if (texts.empty()) return absl::OkStatus();
      for (const LabelledText& text : texts) {
        FIRTH_RETURN_IF_ERROR(ExplainText(classifier, text.text, label));
      }
      // Nobody to answer: what went wrong is said at the end of the program.
      if (!FlushResults().ok()) return absl::OkStatus();
    }
  }

  absl::Status ExplainText(const Classifier& classifier,
                           const std::string& text, size_t label) const {
    PredictOptions options;
    options.top = 0;
    options.threshold = 0;
    options.threads = 1;
    FIRTH_ASSIGN_OR_RETURN(const auto labels,
                           classifier.Predict({text}, options));
    const auto& found = labels[0];
    const auto chosen = label == kNone
                            ? found.begin()
                            : std::find_if(found.begin(), found.end(),
                                           [&](const LabelProbability& one) {
                                             return one.label == label;
                                           });
    const std::string& name = classifier.labels()[chosen->label];
    const std::vector<NgramWeight> ngrams =
        classifier.Explain(text, chosen->label, top_);
    Print(json_ ? JsonLine({{"text", text},
                            {"label", name},
                            {"probability", Rounded(chosen->probability)},
                            {"ngrams", ToJson(ngrams)}})
                : absl::StrCat(text, "\n", name,
                               absl::StrFormat("  %.4f\n", chosen->probability),
                               NgramTable(ngrams)));
    return absl::OkStatus();
  }

  static Json ToJson(const std::vector<NgramWeight>& ngrams) {
    Json json = Json::array();
    for (const NgramWeight& ngram : ngrams) {
      json.push_back(
          {{"ngram", ngram.ngram}, {"weight", Rounded(ngram.weight)}});
    }
    return json;
  }

  static std::string NgramTable(const std::vector<NgramWeight>& ngrams) {
    TextTable table("rl");
    for (const NgramWeight& ngram : ngrams) {
      table.AddRow({absl::StrFormat("  %+.3f", ngram.weight), ngram.ngram});
    }
    return table.ToString();
  }

  LabelledInput text_;
  std::string one_text_;
  std::string label_;
  size_t top_ = 10;
  bool json_ = false;
  std::string contextualizer_;
  std::vector<std::string> arguments_;
};

}  // namespace

CommandPtr MakeClassifyExplain() {
  return std::make_unique<ClassifyExplainCommand>();
}

}  // namespace firth::tools
