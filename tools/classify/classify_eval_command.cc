// firth classify eval: measures how well a classifier predicts labels.

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "classify/classifying.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/json.h"
#include "cli/progress_printer.h"
#include "command.h"
#include "firth/classifier.h"
#include "firth/label_scores.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

// More columns do not fit on a terminal.
constexpr size_t kMostInMatrix = 12;
constexpr size_t kMostPairs = 10;

// Returns the labels that a text has or that were predicted.
std::vector<size_t> LabelsThere(const LabelScores& scores) {
  std::vector<size_t> labels;
  for (size_t i = 0; i < scores.labels.size(); ++i) {
    if (scores.counts[i].gold + scores.counts[i].found > 0) labels.push_back(i);
  }
  return labels;
}

std::string ConfusionMatrix(const LabelScores& scores,
                            const std::vector<size_t>& labels) {
  TextTable table("l" + std::string(labels.size(), 'r'));
  std::vector<std::string> cells = {"true / predicted"};
  for (const size_t label : labels) cells.push_back(scores.labels[label]);
  table.AddRow(cells);
  for (const size_t gold : labels) {
    cells = {scores.labels[gold]};
    for (const size_t found : labels) {
      const uint64_t count =
          scores.confusion[gold * scores.labels.size() + found];
      cells.push_back(count == 0 ? "." : Thousands(count));
    }
    table.AddRow(cells);
  }
  return table.ToString();
}

std::string MostConfused(const LabelScores& scores) {
  std::vector<std::tuple<uint64_t, size_t>> pairs;  // Count, position.
  const size_t labels = scores.labels.size();
  for (size_t i = 0; i < scores.confusion.size(); ++i) {
    const bool is_right = i / labels == i % labels;
    if (!is_right && scores.confusion[i] > 0) {
      pairs.emplace_back(scores.confusion[i], i);
    }
  }
  if (pairs.empty()) return "";
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) {
                     return std::get<0>(a) > std::get<0>(b);
                   });
  if (pairs.size() > kMostPairs) pairs.resize(kMostPairs);
  TextTable table("llr");
  table.AddRow({"right", "found", "texts"});
  for (const auto& [count, place] : pairs) {
    table.AddRow({scores.labels[place / labels], scores.labels[place % labels],
                  Thousands(count)});
  }
  return table.ToString();
}

// Returns the difference in percentage points, such as "+0.40".
std::string Difference(double first, double second) {
  return absl::StrFormat("%+.2f", 100 * (second - first));
}

// Returns the accuracy with its interval, the means over labels, and the
// calibration error.
std::string ScoreLines(const LabelScores& scores) {
  std::string lines = absl::StrFormat(
      "accuracy %s  (%s of %s; 95%% interval %s)\n",
      ShareText(scores.accuracy()), Thousands(scores.correct),
      Counted(scores.texts, "text"), IntervalText(scores.accuracy_interval));
  absl::StrAppendFormat(&lines, "F1 %s, mean over labels %s\n",
                        ShareText(scores.all.f1()), ShareText(scores.macro_f1));
  absl::StrAppendFormat(
      &lines,
      "probabilities are off by %s (calibration error), log loss %.4f\n",
      ShareText(scores.calibration_error), scores.log_loss);
  if (scores.without_words > 0) {
    absl::StrAppend(&lines, Counted(scores.without_words, "text"),
                    " without words\n");
  }
  if (scores.with_unknown_labels > 0) {
    absl::StrAppend(&lines, Counted(scores.with_unknown_labels, "text"),
                    " with a label that the model does not have\n");
  }
  return lines;
}

// Returns a table with one row per label.
std::string LabelTable(const LabelScores& scores) {
  std::vector<std::pair<std::string, FoundCounts>> rows;
  for (const size_t label : LabelsThere(scores)) {
    rows.emplace_back(scores.labels[label], scores.counts[label]);
  }
  rows.emplace_back("all", scores.all);
  return FoundTable("label", rows);
}

// Returns the confusion matrix if there are few labels, and otherwise the most
// frequently confused pairs. Returns "" if there are no counts.
std::string ConfusionTable(const LabelScores& scores) {
  if (scores.confusion.empty()) return "";
  const std::vector<size_t> labels = LabelsThere(scores);
  return labels.size() <= kMostInMatrix ? ConfusionMatrix(scores, labels)
                                        : MostConfused(scores);
}

// Returns a table of how often the labels of each probability are correct.
std::string CalibrationTable(const LabelScores& scores) {
  TextTable table("lrrr");
  table.AddRow({"probability", "texts", "mean", "right"});
  for (size_t i = 0; i < scores.calibration.size(); ++i) {
    const CalibrationBin& bin = scores.calibration[i];
    if (bin.texts == 0) continue;
    const auto bins = static_cast<double>(scores.calibration.size());
    const auto low = static_cast<double>(i);
    table.AddRow({absl::StrFormat("%.1f - %.1f", low / bins, (low + 1) / bins),
                  Thousands(bin.texts), ShareText(bin.probability),
                  ShareText(Ratio(bin.correct, bin.texts))});
  }
  return table.ToString();
}

// Returns a table that compares two classifiers on the same texts.
std::string ComparedTable(const LabelScores& first, const LabelScores& second) {
  TextTable table("lrrrr");
  const double p = McNemarP(first.outcomes, second.outcomes);
  table.AddRow({"", "A", "B", "B - A", "p"});
  table.AddRow(
      {"accuracy", ShareText(first.accuracy()), ShareText(second.accuracy()),
       Difference(first.accuracy(), second.accuracy()), ChanceText(p)});
  const auto add = [&](absl::string_view name, double a, double b) {
    table.AddRow(
        {std::string(name), ShareText(a), ShareText(b), Difference(a, b)});
  };
  add("F1", first.all.f1(), second.all.f1());
  add("F1, mean over labels", first.macro_f1, second.macro_f1);
  add("calibration error", first.calibration_error, second.calibration_error);
  if (first.with_unknown_labels + second.with_unknown_labels > 0) {
    table.AddRow({"texts with unknown labels",
                  Thousands(first.with_unknown_labels),
                  Thousands(second.with_unknown_labels), "", ""});
  }
  return table.ToString();
}

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

class ClassifyEvalCommand : public CommandWith<kClassifyEvalText> {
 public:
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
      Print(JsonLine(ToJson(scores)));
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
