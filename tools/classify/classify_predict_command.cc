// firth classify predict: texts in, their labels out.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "classify/classifying.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/json.h"
#include "command.h"
#include "firth/classifier.h"

namespace firth::tools {
namespace {

class ClassifyPredictCommand : public Command {
 public:
  absl::string_view name() const override { return "classify predict"; }
  absl::string_view summary() const override {
    return "predict the labels of texts";
  }
  absl::string_view synopsis() const override {
    return "MODEL [OPTION...] <TEXTS";
  }
  absl::string_view description() const override {
    return "Reads texts from standard input as they arrive, and writes one "
           "line per text: its labels with their probabilities, the most "
           "probable first, separated by tabs. If the model has one label per "
           "text, the line has the most probable label. If it has several, the "
           "line has all labels that reach the threshold estimated for them in "
           "training; if no label does, the line is empty. Labels in the input "
           "are not read as text. With --form folders, files are read in the "
           "order of their paths, and --json prints the path of each.\n\n"
           "A text without any word or n-gram of MODEL, such as an empty line, "
           "gets the label probabilities of the training texts, or what "
           "fastText would give if MODEL is a fastText model; --json marks it "
           "with \"known\": 0. A line of more than 16 MiB is skipped with a "
           "warning. It gets no label; with --json, its object has an "
           "\"error\" instead.\n\n"
           "  firth classify predict m.safetensors <texts.txt\n"
           "  firth classify predict m.safetensors --top 3 --threshold .1 "
           "--json \\\n"
           "    --input texts.csv --form csv\n\n"
           "MODEL may also be a supervised fastText model (.bin, .ftz).";
  }

  void Declare(OptionSet* options) override {
    text_.Declare("path to texts to read instead of standard input", options);
    options->Section("Labels");
    options
        ->Integer("top", &top_, 0, SIZE_MAX,
                  "maximum number of labels per text; 0 prints all that reach "
                  "the threshold")
        .Everyday()
        .default_text = "1, or 0 if texts have several labels";
    options
        ->Real("threshold", &threshold_, 0, 1,
               "print only labels with at least this probability, instead of "
               "using the thresholds estimated in training")
        .Everyday()
        .default_text = "";
    options
        ->Switch("json", &json_,
                 "print one JSON object per text, including its given labels")
        .Everyday();
    options->Section("Running");
    DeclareContextualizer(&contextualizer_, options);
    DeclareThreads(&threads_, options);
    options->Arguments("MODEL", 1, 1, &arguments_, {{"MODEL", Reads()}});
  }

  absl::Status Check(const OptionSet& options) override {
    if (text_.inputs()->empty()) text_.inputs()->emplace_back("-");
    top_given_ = options.Given("top");
    threshold_given_ = options.Given("threshold");
    return text_.options().Validate();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    const absl::StatusOr<Classifier> classifier =
        Classifier::Load(arguments_[0], contextualizer_);
    if (!classifier.ok()) return classifier.status();
    LabelledTextOptions text = text_.options();
    text.with_labels = false;
    text.skip_long = true;
    LeftOutSink sink;
    absl::StatusOr<LabelledTextReader> reader =
        LabelledTextReader::Open(text, nullptr, &sink);
    if (!reader.ok()) return reader.status();
    for (;;) {
      const auto texts = reader->Next(kMostTexts);
      if (!texts.ok()) return texts.status();
      if (texts->empty()) break;
      const absl::Status status = Label(*classifier, *texts);
      if (!status.ok()) return status;
      // Nobody to answer: what went wrong is said at the end of the program.
      if (!FlushResults().ok()) return ExitCode::kDone;
    }
    if (unknown_ > 0) {
      PrintMessage(absl::StrCat(Counted(unknown_, "text"), " of ",
                                Thousands(texts_),
                                " without any known word or n-gram, so their "
                                "labels are those of an average text"));
    }
    return ExitCode::kDone;
  }

 private:
  absl::Status Label(const Classifier& classifier,
                     const std::vector<LabelledText>& texts) {
    PredictOptions options;
    options.threads = threads_;
    options.top = !top_given_ && classifier.has_several_labels() ? 0 : top_;
    if (threshold_given_) options.threshold = threshold_;
    std::vector<absl::string_view> views;
    views.reserve(texts.size());
    for (const LabelledText& text : texts) views.emplace_back(text.text);
    std::vector<uint64_t> known;
    const auto labels = classifier.Predict(views, options, {}, &known);
    if (!labels.ok()) return labels.status();
    for (size_t i = 0; i < texts.size(); ++i) {
      static const std::vector<LabelProbability> kNone;
      const bool is_left_out = !texts[i].left_out.empty();
      if (is_left_out) {
        PrintMessage(absl::StrCat("warning: ", texts[i].left_out,
                                  "; the text is left out"));
      }
      const std::vector<LabelProbability>& found =
          is_left_out ? kNone : (*labels)[i];
      Print(json_ ? OneLine(LabelsJson(classifier, texts[i], found, known[i])) +
                        "\n"
                  : LabelsLine(classifier, found));
      unknown_ += known[i] == 0 && !is_left_out ? 1 : 0;
    }
    texts_ += texts.size();
    return absl::OkStatus();
  }

  static Json LabelsJson(const Classifier& classifier, const LabelledText& text,
                         const std::vector<LabelProbability>& found,
                         uint64_t known) {
    Json json = Json::object();
    if (!text.file.empty()) json["file"] = text.file;
    json["labels"] = Json::array();
    for (const LabelProbability& label : found) {
      json["labels"].push_back({{"label", classifier.labels()[label.label]},
                                {"probability", Rounded(label.probability)}});
    }
    json["known"] = known;
    if (!text.left_out.empty()) json["error"] = text.left_out;
    return json;
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
  size_t top_ = 1;
  bool top_given_ = false;
  double threshold_ = 0;
  bool threshold_given_ = false;
  bool json_ = false;
  std::string contextualizer_;
  int threads_ = 0;
  std::vector<std::string> arguments_;
  uint64_t texts_ = 0;
  uint64_t unknown_ = 0;  // of them, those of which the model knows nothing
};

}  // namespace

std::unique_ptr<Command> MakeClassifyPredictCommand() {
  return std::make_unique<ClassifyPredictCommand>();
}

}  // namespace firth::tools
