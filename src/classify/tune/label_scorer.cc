// Texts are added one by one, as they come from a pipe. Only the means and the
// table of confusions, which need all texts, are computed at the end.

#include "classify/tune/label_scorer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "base/json.h"
#include "base/unicode.h"
#include "classify/texts/text_labels.h"
#include "firth/status_macros.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

constexpr size_t kCalibrationBins = 10;
constexpr size_t kMostLabelsOfConfusion = 1000;

// Returns the information, in nats, of an event with this probability.
double Nats(double probability) {
  constexpr double kLeast = std::numeric_limits<float>::epsilon();
  return -std::log(std::clamp(probability, kLeast, 1 - kLeast));
}

// Maximum number of texts scored at once, and of their probabilities.
constexpr size_t kMostScoredTexts = 4096;
constexpr size_t kMostProbabilities = size_t{1} << 24;

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

double LabelScores::accuracy() const { return Ratio(correct, texts); }

LabelScorer::LabelScorer(std::vector<std::string> labels, bool independent,
                         absl::string_view prefix)
    : known_(labels.size()), independent_(independent), prefix_(prefix) {
  for (const std::string& label : labels) {
    positions_.emplace(label, positions_.size());
  }
  scores_.labels = std::move(labels);
  scores_.counts.resize(known_);
  scores_.calibration.resize(kCalibrationBins);
}

void LabelScorer::Add(const LabelledText& text,
                      absl::Span<const float> probabilities,
                      absl::Span<const LabelProbability> found) {
  const std::vector<size_t> gold = PositionsOf(text.labels);
  const bool correct = CountLabels(gold, found);
  ++scores_.texts;
  scores_.without_words += IsBlank(text.text);
  scores_.with_unknown_labels +=
      absl::c_any_of(gold, [this](size_t label) { return label >= known_; });
  scores_.correct += correct;
  scores_.outcomes.push_back(correct);
  scores_.log_loss += LogLoss(gold, probabilities);

  const auto best = static_cast<size_t>(absl::c_max_element(probabilities) -
                                        probabilities.begin());
  if (gold.size() == 1) pairs_.emplace_back(gold.front(), best);
  const double probability = probabilities[best];
  const auto bin_pos =
      static_cast<size_t>(std::max(0.0, probability) * kCalibrationBins);
  CalibrationBin& bin =
      scores_.calibration[std::min(bin_pos, kCalibrationBins - 1)];
  ++bin.texts;
  bin.correct += absl::c_linear_search(gold, best);
  bin.probability += probability;  // the sum, until Finish()
}

std::vector<size_t> LabelScorer::PositionsOf(
    const std::vector<std::string>& labels) {
  std::vector<size_t> positions;
  for (const std::string& own : labels) {
    const std::string label = prefix_ + own;
    const auto [place, is_new] = positions_.emplace(label, positions_.size());
    if (is_new) {
      scores_.labels.push_back(label);
      scores_.counts.emplace_back();
    }
    positions.push_back(place->second);
  }
  return positions;
}

// Returns whether exactly the gold labels were found.
bool LabelScorer::CountLabels(const std::vector<size_t>& gold,
                              absl::Span<const LabelProbability> found) {
  size_t right = 0;
  for (const size_t label : gold) ++scores_.counts[label].gold;
  for (const LabelProbability& one : found) {
    const bool is_right = absl::c_linear_search(gold, one.label);
    ++scores_.counts[one.label].found;
    scores_.counts[one.label].correct += is_right;
    right += is_right;
  }
  return right == gold.size() && right == found.size();
}

double LabelScorer::LogLoss(const std::vector<size_t>& gold,
                            absl::Span<const float> probabilities) const {
  double of_gold = 0, of_its_absence = 0;
  for (const size_t label : gold) {
    const double probability = label < known_ ? probabilities[label] : 0;
    of_gold += Nats(probability);
    if (label < known_) of_its_absence += Nats(1 - probability);
  }
  if (!independent_) {
    return gold.empty() ? 0 : of_gold / static_cast<double>(gold.size());
  }
  double absent = 0;
  for (const double probability : probabilities)
    absent += Nats(1 - probability);
  return of_gold + absent - of_its_absence;
}

LabelScores LabelScorer::Finish() {
  LabelScores& scores = scores_;
  const double texts = std::max(1.0, static_cast<double>(scores.texts));
  scores.log_loss /= texts;
  scores.accuracy_interval = WilsonInterval(scores.correct, scores.texts);
  for (CalibrationBin& bin : scores.calibration) {
    if (bin.texts == 0) continue;
    scores.calibration_error +=
        std::abs(bin.probability - static_cast<double>(bin.correct)) / texts;
    bin.probability /= static_cast<double>(bin.texts);
  }
  double with_gold = 0;
  for (const FoundCounts& counts : scores.counts) {
    scores.all.gold += counts.gold;
    scores.all.found += counts.found;
    scores.all.correct += counts.correct;
    if (counts.gold == 0) continue;
    scores.macro_f1 += counts.f1();
    ++with_gold;
  }
  if (with_gold > 0) scores.macro_f1 /= with_gold;
  const size_t labels = scores.labels.size();
  if (labels <= kMostLabelsOfConfusion) {
    scores.confusion.assign(labels * labels, 0);
    for (const auto& [gold, best] : pairs_) {
      ++scores.confusion[gold * labels + best];
    }
  }
  return std::move(scores_);
}

double McNemarP(const std::vector<bool>& first,
                const std::vector<bool>& second) {
  uint64_t only_first = 0, only_second = 0;
  for (size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
    only_first += first[i] && !second[i];
    only_second += second[i] && !first[i];
  }
  return McNemarP(only_first, only_second);
}

absl::StatusOr<LabelScores> ScoreLabels(const Classifier& classifier,
                                        absl::Span<const LabelledText> texts,
                                        const PredictOptions& options,
                                        const Hooks& hooks,
                                        absl::string_view removed_prefix) {
  const std::vector<std::string>& labels = classifier.labels();
  const bool needs_prefix = !removed_prefix.empty() &&
                            !HaveLabelAmong(labels, texts) &&
                            HaveLabelAmong(labels, texts, removed_prefix);
  if (!needs_prefix) {
    FIRTH_RETURN_IF_ERROR(
        CheckLabelsAmong(labels, texts, "the texts", "the classifier"));
  }
  return ScoreAnyLabels(classifier, texts, options, hooks,
                        needs_prefix ? removed_prefix : "");
}

absl::StatusOr<LabelScores> ScoreAnyLabels(const Classifier& classifier,
                                           absl::Span<const LabelledText> texts,
                                           const PredictOptions& options,
                                           const Hooks& hooks,
                                           absl::string_view prefix) {
  if (texts.empty()) {
    return absl::InvalidArgumentError("there are no texts to measure on");
  }
  const size_t labels = classifier.labels().size();
  const size_t step =
      std::clamp<size_t>(kMostProbabilities / labels, 1, kMostScoredTexts);
  const Hooks stop{.stop = hooks.stop};
  LabelScorer scorer(classifier.labels(), classifier.has_several_labels(),
                     prefix);
  std::vector<absl::string_view> views;
  std::vector<float> probabilities;
  for (size_t begin = 0; begin < texts.size(); begin += step) {
    const auto some = texts.subspan(begin, step);
    views.clear();
    for (const LabelledText& text : some) views.emplace_back(text.text);
    probabilities.resize(some.size() * labels);
    FIRTH_RETURN_IF_ERROR(classifier.Probabilities(
        views, absl::MakeSpan(probabilities), options.threads, stop));
    FIRTH_ASSIGN_OR_RETURN(const auto found,
                           classifier.Predict(views, options, stop));
    for (size_t i = 0; i < some.size(); ++i) {
      scorer.Add(some[i],
                 absl::MakeConstSpan(probabilities).subspan(i * labels, labels),
                 found[i]);
    }
    hooks.ReportWork(begin + some.size(), texts.size());
  }
  return scorer.Finish();
}

double PrecisionAtRecall(absl::Span<const float> probabilities,
                         const std::vector<bool>& gold, double recall) {
  std::vector<size_t> order(gold.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return probabilities[a] > probabilities[b];
  });
  const auto all =
      static_cast<double>(std::count(gold.begin(), gold.end(), true));
  double best = 0;
  double correct = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    correct += gold[order[i]] ? 1 : 0;
    // A threshold cannot separate equal probabilities.
    const bool is_tied = i + 1 < order.size() &&
                         probabilities[order[i + 1]] == probabilities[order[i]];
    if (is_tied || correct == 0 || correct < recall * all) continue;
    best = std::max(best, correct / static_cast<double>(i + 1));
  }
  return best;
}

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
