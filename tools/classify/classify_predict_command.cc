// firth classify predict: predicts the labels of texts.

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ask/text_asker.h"
#include "classify/classifying.h"
#include "cli/console.h"
#include "cli/human.h"
#include "command.h"
#include "firth/classifier.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

constexpr CommandText kClassifyPredictText = {
    "classify predict", "predict the labels of texts",
    "MODEL [OPTION...] <TEXTS",
    "Reads texts from standard input as they arrive, and writes one line per "
    "text: its labels with their probabilities, the most probable first, "
    "separated by tabs. If the model has one label per text, the line has the "
    "most probable label. If it has several, the line has all labels that "
    "reach the threshold estimated for them in training; if no label does, the "
    "line is empty. Labels in the input are not read as text. With --form "
    "folders, files are read in the order of their paths, and --json puts each "
    "answer into an object with the path of its file.\n\n"
    "A text without any word or n-gram of MODEL, such as an empty line, gets "
    "the label probabilities of the training texts, or what fastText would "
    "give if MODEL is a fastText model; --json marks it with \"known\": 0. A "
    "line of more than 16 MiB is skipped with a warning. It gets no label; "
    "with --json, its object has only an \"error\".\n\n"
    "  firth classify predict m.safetensors <texts.txt\n"
    "  firth classify predict m.safetensors --top 3 --threshold .1 --json \\\n"
    "    --input texts.csv --form csv\n\n"
    "MODEL may also be a supervised fastText model (.bin, .ftz)."};

class ClassifyPredictCommand : public Command {
 public:
  ClassifyPredictCommand() : Command(kClassifyPredictText) {}

  void Declare(OptionSet* options) override {
    text_.Declare("path to texts to read instead of standard input", options);
    options->Section("Labels");
    options->Fields(&asker_.fields(), {"top", "threshold"});
    options->Switch("json", &json_, "print one JSON object per text")
        .Everyday();
    options->Section("Running");
    DeclareContextualizer(&contextualizer_, options);
    DeclareThreads(std::get<int*>(asker_.fields().At("threads")), options);
    options->Arguments("MODEL", 1, 1, &arguments_, {{"MODEL", Reads()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (text_.inputs()->empty()) text_.inputs()->emplace_back("-");
    return text_.options().Validate();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(Classifier loaded,
                           Classifier::Load(arguments_[0], contextualizer_));
    const OpenedModel model{"",
                            std::make_shared<Classifier>(std::move(loaded))};
    LabelledTextOptions text = text_.options();
    text.with_labels = false;
    text.skip_long = true;
    LeftOutSink sink;
    FIRTH_ASSIGN_OR_RETURN(LabelledTextReader reader,
                           LabelledTextReader::Open(text, nullptr, &sink));
    for (;;) {
      FIRTH_ASSIGN_OR_RETURN(const auto texts, reader.Next(kMostTexts));
      if (texts.empty()) break;
      texts_ += texts.size();
      for (const LabelledText& one : texts) {
        if (one.left_out.empty()) continue;
        PrintMessage(
            absl::StrCat("warning: ", one.left_out, "; the text is left out"));
      }
      if (json_) {
        AnswerAll(model, texts);
      } else {
        FIRTH_RETURN_IF_ERROR(PrintLabels(*std::get<3>(model.content), texts));
      }
      // If the answers cannot be written, the program reports the error when it
      // ends.
      if (!FlushResults().ok()) return ExitCode::kDone;
    }
    if (unknown_ > 0) {
      PrintMessage(absl::StrCat(Counted(unknown_, "text"), " of ",
                                Thousands(texts_),
                                " without any known word or n-gram, so their "
                                "labels are those of an average text"));
    }
    return asker_.failed() ? ExitCode::kFailed : ExitCode::kDone;
  }

 private:
  void AnswerAll(const OpenedModel& model,
                 const std::vector<LabelledText>& texts) {
    for (const LabelledText& text : texts) {
      if (text.left_out.empty()) {
        asker_.AddText(text.text);
      } else {
        asker_.AddError(text.left_out);
      }
    }
    const std::vector<std::string> answers = asker_.Answer(model);
    for (size_t i = 0; i < texts.size(); ++i) {
      unknown_ += absl::EndsWith(answers[i], "\"known\":0}") ? 1 : 0;
      std::string file;
      AppendJsonText(texts[i].file, &file);
      Print(texts[i].file.empty()
                ? answers[i] + "\n"
                : absl::StrCat("{\"file\":", file, ",\"answer\":", answers[i],
                               "}\n"));
    }
  }

  absl::Status PrintLabels(const Classifier& classifier,
                           const std::vector<LabelledText>& texts) {
    std::vector<absl::string_view> views;
    for (const LabelledText& text : texts) views.emplace_back(text.text);
    const int top = *std::get<int*>(asker_.fields().At("top"));
    const double threshold =
        *std::get<double*>(asker_.fields().At("threshold"));
    PredictOptions options;
    options.threads = *std::get<int*>(asker_.fields().At("threads"));
    options.top = top >= 0 ? static_cast<size_t>(top)
                           : (classifier.has_several_labels() ? 0 : 1);
    if (threshold >= 0) options.threshold = threshold;
    std::vector<uint64_t> known;
    FIRTH_ASSIGN_OR_RETURN(const auto labels,
                           classifier.Predict(views, options, {}, &known));
    for (size_t i = 0; i < texts.size(); ++i) {
      const bool is_left_out = !texts[i].left_out.empty();
      Print(is_left_out ? "\n" : LabelsLine(classifier, labels[i]));
      unknown_ += known[i] == 0 && !is_left_out ? 1 : 0;
    }
    return absl::OkStatus();
  }

  static std::string LabelsLine(const Classifier& classifier,
                                const std::vector<LabelProbability>& found) {
    std::string line;
    for (const LabelProbability& label : found) {
      absl::StrAppend(&line, line.empty() ? "" : "\t",
                      classifier.labels()[label.label],
                      absl::StrFormat("\t%.4f", label.probability));
    }
    return line + "\n";
  }

  LabelledInput text_;
  TextAsker asker_{"classify"};
  bool json_ = false;
  std::string contextualizer_;
  std::vector<std::string> arguments_;
  uint64_t texts_ = 0;
  uint64_t unknown_ = 0;  // Texts without any known feature.
};

}  // namespace

CommandPtr MakeClassifyPredict() {
  return std::make_unique<ClassifyPredictCommand>();
}

}  // namespace firth::tools
