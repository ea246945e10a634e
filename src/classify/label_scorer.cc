// Texts are added one by one, as they come from a pipe. Only the means and the
// table of confusions, which need all texts, are computed at the end.

#include "classify/label_scorer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/algorithm/container.h"
#include "base/unicode.h"

namespace firth {
namespace {

constexpr size_t kCalibrationBins = 10;
constexpr size_t kMostLabelsOfConfusion = 1000;

// Returns the information, in nats, of an event with this probability.
double Nats(double probability) {
  constexpr double kLeast = std::numeric_limits<float>::epsilon();
  return -std::log(std::clamp(probability, kLeast, 1 - kLeast));
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

}  // namespace firth
