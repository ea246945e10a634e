#include <algorithm>
#include <utility>

#include "base/json.h"
#include "firth/label_scores.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

OrderedJson CountsJson(const FoundCounts& counts) {
  return {{"gold", counts.gold},       {"found", counts.found},
          {"correct", counts.correct}, {"precision", counts.precision()},
          {"recall", counts.recall()}, {"f1", counts.f1()}};
}

OrderedJson LabelsJson(const LabelScores& scores) {
  OrderedJson labels = OrderedJson::array();
  for (size_t i = 0; i < scores.labels.size(); ++i) {
    OrderedJson label{{"label", scores.labels[i]}};
    label.update(CountsJson(scores.counts[i]));
    labels.push_back(std::move(label));
  }
  return labels;
}

OrderedJson CalibrationJson(const LabelScores& scores) {
  OrderedJson bins = OrderedJson::array();
  for (const CalibrationBin& bin : scores.calibration) {
    bins.push_back({{"texts", bin.texts},
                    {"correct", bin.correct},
                    {"probability", bin.probability}});
  }
  return bins;
}

// Returns a list of rows.
OrderedJson ConfusionJson(const LabelScores& scores) {
  if (scores.confusion.empty()) return nullptr;
  OrderedJson rows = OrderedJson::array();
  const auto labels = static_cast<ptrdiff_t>(scores.labels.size());
  for (auto row = scores.confusion.begin(); row != scores.confusion.end();
       row += labels) {
    rows.push_back(std::vector<uint64_t>(row, row + labels));
  }
  return rows;
}

}  // namespace

std::string LabelScoresJson(const LabelScores& scores) {
  OrderedJson micro = CountsJson(scores.all);
  return DumpJson(OrderedJson{
      {"texts", scores.texts},
      {"without_words", scores.without_words},
      {"with_unknown_labels", scores.with_unknown_labels},
      {"correct", scores.correct},
      {"accuracy", scores.accuracy()},
      {"interval",
       {scores.accuracy_interval.low, scores.accuracy_interval.high}},
      {"micro", std::move(micro)},
      {"macro_f1", scores.macro_f1},
      {"log_loss", scores.log_loss},
      {"calibration_error", scores.calibration_error},
      {"calibration", CalibrationJson(scores)},
      {"labels", LabelsJson(scores)},
      {"confusion", ConfusionJson(scores)}});
}

}  // namespace firth
