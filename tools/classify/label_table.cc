// A matrix of what is taken for what fits a terminal for few labels only; of
// more, the pairs are listed that are confused most.

#include "classify/label_table.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "classify/classifying.h"
#include "cli/human.h"

namespace firth::tools {
namespace {

// More columns do not fit a terminal.
constexpr size_t kMostInMatrix = 12;
constexpr size_t kMostPairs = 10;

std::vector<std::string> CountCells(const std::string& name,
                                    const LabelCounts& counts) {
  return {name,
          ShareText(counts.precision()),
          ShareText(counts.recall()),
          ShareText(counts.f1()),
          Thousands(counts.gold),
          Thousands(counts.found),
          Thousands(counts.correct)};
}

// Labels that texts have or that were found.
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
  std::vector<std::tuple<uint64_t, size_t>> pairs;  // count, place
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

std::string IntervalText(const Interval& interval) {
  return absl::StrFormat("95%% interval %.1f - %.1f", 100 * interval.low,
                         100 * interval.high);
}

// "+0.4", in points.
std::string Difference(double first, double second) {
  return absl::StrFormat("%+.2f", 100 * (second - first));
}

}  // namespace

std::string ScoreLines(const LabelScores& scores) {
  std::string lines = absl::StrFormat(
      "accuracy %s  (%s of %s; %s)\n", ShareText(scores.accuracy()),
      Thousands(scores.correct), Counted(scores.texts, "text"),
      IntervalText(scores.accuracy_interval));
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

std::string LabelTable(const LabelScores& scores) {
  TextTable table("lrrrrrr");
  table.AddRow(
      {"label", "precision", "recall", "F1", "gold", "found", "correct"});
  for (const size_t label : LabelsThere(scores)) {
    table.AddRow(CountCells(scores.labels[label], scores.counts[label]));
  }
  table.AddRow(CountCells("all", scores.all));
  return table.ToString();
}

std::string ConfusionTable(const LabelScores& scores) {
  if (scores.confusion.empty()) return "";
  const std::vector<size_t> labels = LabelsThere(scores);
  return labels.size() <= kMostInMatrix ? ConfusionMatrix(scores, labels)
                                        : MostConfused(scores);
}

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
                  ShareText(static_cast<double>(bin.correct) /
                            static_cast<double>(bin.texts))});
  }
  return table.ToString();
}

std::string ComparedTable(const LabelScores& first, const LabelScores& second) {
  TextTable table("lrrrr");
  const double p = McNemarP(first.outcomes, second.outcomes);
  table.AddRow({"", "A", "B", "B - A", "p"});
  table.AddRow({"accuracy", ShareText(first.accuracy()),
                ShareText(second.accuracy()),
                Difference(first.accuracy(), second.accuracy()),
                absl::StrCat(p < 0.001 ? "<0.001" : absl::StrFormat("%.3f", p),
                             p < 0.05 ? "*" : " ")});
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

}  // namespace firth::tools
