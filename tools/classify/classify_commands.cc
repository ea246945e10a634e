// The commands that use a classifier: firth classify predict, explain and
// quantize.

#include <algorithm>
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
#include "cli/foreign_names.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/progress_printer.h"
#include "command.h"
#include "firth/classifier.h"
#include "firth/status_macros.h"
#include "train/checkpoint_options.h"

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

class ClassifyPredictCommand : public CommandWith<kClassifyPredictText> {
 public:
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

class ClassifyExplainCommand : public CommandWith<kClassifyExplainText> {
 public:
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
      // If the answers cannot be written, the program reports it when it ends.
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

constexpr CommandText kClassifyQuantizeText = {
    "classify quantize", "reduce the size of a classifier",
    "MODEL --max-size SIZE --output SMALL [OPTION...]",
    "Removes the n-grams of MODEL that contribute least, and quantizes the "
    "weights until the file has at most SIZE bytes. If the training texts are "
    "given by --input, the remaining weights are trained again, which keeps "
    "more of the accuracy.\n\n"
    "  firth classify quantize m.safetensors --max-size 1M \\\n"
    "    --input train.txt --output small.safetensors\n\n"
    "The same model can be reduced to several sizes. The training texts are "
    "optional, so this also works for a model that someone else has trained."};

class ClassifyQuantizeCommand : public CommandWith<kClassifyQuantizeText> {
 public:
  void Declare(OptionSet* options) override {
    options
        ->Bytes("max-size", &options_.max_bytes, 1, UINT64_MAX,
                "maximum size of the file, in bytes, such as 500K or 2M")
        .Everyday()
        .default_text = "1M";
    options->Section("Retraining");
    text_.Declare(
        "path to the training texts of MODEL, for retraining after "
        "quantization",
        options);
    options->Section("Output");
    options
        ->Path("output", "SMALL", &output_, Writes(),
               "path to the model file to write")
        .Everyday();
    options->Switch("quiet", &quiet_, "print only warnings and errors");
    options->Section("Running");
    DeclareContextualizer(&contextualizer_, options);
    options->Arguments("MODEL", 1, 1, &arguments_, {{"MODEL", Reads()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (output_.empty()) {
      return absl::InvalidArgumentError(
          "give the file of the small model with --output SMALL");
    }
    return CheckWrittenAsOwn(output_,
                             "a fastText .bin file holds neither quantized "
                             "values nor a subset of the n-grams");
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    const InterruptGuard interrupt;
    FIRTH_ASSIGN_OR_RETURN(const Classifier classifier,
                           Classifier::Load(arguments_[0], contextualizer_));
    const absl::StatusOr<std::vector<LabelledText>> texts =
        text_.inputs()->empty() ? std::vector<LabelledText>()
                                : text_.Read(interrupt.flag());
    if (!texts.ok()) return EndWithNothing(texts.status(), interrupt.flag());
    PercentSink progress;
    const absl::StatusOr<Classifier> small =
        QuantizeClassifier(classifier, *texts, options_,
                           {quiet_ ? nullptr : &progress, interrupt.flag()});
    if (!small.ok()) return EndWithNothing(small.status(), interrupt.flag());
    FIRTH_RETURN_IF_ERROR(small->Save(output_));
    if (!quiet_) PrintNote(WroteLine(output_, *small));
    return ExitCode::kDone;
  }

 private:
  QuantizeClassifierOptions options_;
  LabelledInput text_;
  std::string output_;
  bool quiet_ = false;
  std::string contextualizer_;
  std::vector<std::string> arguments_;
};

}  // namespace

CommandPtr MakeClassifyPredict() {
  return std::make_unique<ClassifyPredictCommand>();
}

CommandPtr MakeClassifyExplain() {
  return std::make_unique<ClassifyExplainCommand>();
}

CommandPtr MakeClassifyQuantize() {
  return std::make_unique<ClassifyQuantizeCommand>();
}

}  // namespace firth::tools
