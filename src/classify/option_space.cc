// Each knob changes one option, or two that belong together. A draw always
// changes one of them, and the others with a frequency given by the spread.
// There is no knob for fixed options, or for those that could not help.

#include "classify/option_space.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <variant>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "classify/training_plan.h"

namespace firth {
namespace {

// Returns a number in [0, 1) with all bits of a double.
double NextShare(Rng* rng) {
  return static_cast<double>(rng->Next() >> 11) * 0x1p-53;
}

template <class Value, size_t kCount>
Value OneOf(const Value (&values)[kCount], Rng* rng) {
  return values[rng->Below(kCount)];
}

bool IsDeepLoss(const LabelLoss& loss) {
  return std::holds_alternative<TreeLabelLoss>(loss) ||
         std::holds_alternative<SampledLabelLoss>(loss);
}

// Rounds to two digits, which are precise enough and easy to type.
double TwoDigits(double value) {
  double rounded = value;
  return absl::SimpleAtod(absl::StrFormat("%.1e", value), &rounded) ? rounded
                                                                    : value;
}

// Resets the options of a missing part, which have no effect, to those of
// `start`.
void ForgetMissingPart(const ClassifierOptions& start,
                       ClassifierOptions* options) {
  if (options->parts == ClassifierParts::kWide) {
    options->dim = start.dim;
    options->learning_rate = start.learning_rate;
  }
  if (options->parts == ClassifierParts::kDeep) options->l2 = start.l2;
}

}  // namespace

OptionSpace::OptionSpace(const ClassifierOptions& start,
                         const ClassifierOptions& resolved, uint64_t tokens,
                         const ClassifierInputs& inputs,
                         const TuneMetric& metric,
                         const std::vector<std::string>& fixed)
    : start_(start),
      resolved_(resolved),
      tokens_(tokens),
      fixed_(fixed.begin(), fixed.end()) {
  AddKnob({"lowercase"}, &OptionSpace::DrawSpelling);
  AddKnob({"split-punctuation"}, &OptionSpace::DrawPunctuation);
  AddKnob({"word-ngrams"}, &OptionSpace::DrawWordNgrams);
  AddKnob({"min-n", "max-n"}, &OptionSpace::DrawCharacters);
  AddKnob({"min-count"}, &OptionSpace::DrawMinCount);
  const bool reads_files =
      !inputs.vectors.empty() || !inputs.contextualizer.empty();
  if (!IsDeepLoss(start.loss) && !reads_files) {
    AddKnob({"parts"}, &OptionSpace::DrawParts);
  }
  if (metric.kind != TuneMetric::Kind::kAccuracy &&
      metric.kind != TuneMetric::Kind::kMicroF1) {
    AddKnob({"class-weights"}, &OptionSpace::DrawClassWeights);
  }
  if (inputs.vectors.empty()) AddKnob({"dim"}, &OptionSpace::DrawDim);
  AddKnob({"epochs"}, &OptionSpace::DrawEpochs);
  AddKnob({"learning-rate"}, &OptionSpace::DrawLearningRate);
  AddKnob({"l2"}, &OptionSpace::DrawL2);
}

void OptionSpace::AddKnob(const std::vector<std::string>& names, Knob knob) {
  const bool is_fixed = std::any_of(
      names.begin(), names.end(),
      [this](const std::string& name) { return fixed_.contains(name); });
  if (!is_fixed) knobs_.push_back(knob);
}

ClassifierOptions OptionSpace::Draw(const ClassifierOptions& from,
                                    double spread, Rng* rng) const {
  if (knobs_.empty()) return from;
  ClassifierOptions options = from;
  // One knob is always turned, the others with half of the spread.
  const size_t sure = rng->Below(static_cast<uint32_t>(knobs_.size()));
  for (size_t i = 0; i < knobs_.size(); ++i) {
    const bool turned = NextShare(rng) < spread / 2;
    if (turned || i == sure) (this->*knobs_[i])(spread, rng, &options);
  }
  ForgetMissingPart(start_, &options);
  return options;
}

void OptionSpace::DrawSpelling(double, Rng*, ClassifierOptions* options) const {
  options->lowercase = !options->lowercase;
}

void OptionSpace::DrawPunctuation(double, Rng*,
                                  ClassifierOptions* options) const {
  options->split_punctuation = !options->split_punctuation;
}

void OptionSpace::DrawWordNgrams(double, Rng* rng,
                                 ClassifierOptions* options) const {
  options->word_ngrams = OneOf<uint64_t>({1, 2, 3}, rng);
}

void OptionSpace::DrawCharacters(double, Rng* rng,
                                 ClassifierOptions* options) const {
  constexpr std::pair<uint64_t, uint64_t> kRanges[] = {{0, 0}, {2, 4}, {2, 5},
                                                       {3, 5}, {3, 6}, {1, 5}};
  std::tie(options->min_n, options->max_n) = OneOf(kRanges, rng);
}

void OptionSpace::DrawMinCount(double, Rng* rng,
                               ClassifierOptions* options) const {
  // No word of a short text may be that frequent.
  constexpr uint64_t kTokensACount = 2000;
  options->min_count = std::min(OneOf<uint64_t>({1, 2, 3, 5}, rng),
                                std::max<uint64_t>(tokens_ / kTokensACount, 1));
}

void OptionSpace::DrawParts(double, Rng* rng,
                            ClassifierOptions* options) const {
  // The deep part alone takes the most time and is rarely the best.
  options->parts = OneOf(
      {ClassifierParts::kBoth, ClassifierParts::kBoth, ClassifierParts::kWide,
       ClassifierParts::kWide, ClassifierParts::kDeep},
      rng);
}

void OptionSpace::DrawClassWeights(double, Rng*,
                                   ClassifierOptions* options) const {
  options->class_weights = options->class_weights == ClassWeights::kNone
                               ? ClassWeights::kBalanced
                               : ClassWeights::kNone;
}

double OptionSpace::Around(double value, double most, double spread, Rng* rng) {
  return value * std::pow(most, spread * (2 * NextShare(rng) - 1));
}

// Numbers are drawn around their current or automatic values.
void OptionSpace::DrawDim(double, Rng* rng, ClassifierOptions* options) const {
  options->dim = OneOf<uint64_t>({8, 16, 32, 64, 128}, rng);
}

void OptionSpace::DrawEpochs(double spread, Rng* rng,
                             ClassifierOptions* options) const {
  const uint64_t automatic = AutomaticEpochs(*options, tokens_);
  const uint64_t now = options->epochs > 0 ? options->epochs : automatic;
  const double drawn = Around(static_cast<double>(now), 3, spread, rng);
  options->epochs = static_cast<uint64_t>(std::clamp(
      std::round(drawn), 1.0, 10.0 * static_cast<double>(automatic)));
}

void OptionSpace::DrawLearningRate(double spread, Rng* rng,
                                   ClassifierOptions* options) const {
  const double now = options->learning_rate > 0 ? options->learning_rate
                                                : resolved_.learning_rate;
  options->learning_rate = TwoDigits(Around(now, 5, spread, rng));
}

void OptionSpace::DrawL2(double spread, Rng* rng,
                         ClassifierOptions* options) const {
  const double now = options->l2 > 0 ? options->l2 : resolved_.l2;
  options->l2 = TwoDigits(Around(now, 10, spread, rng));
}

std::string OptionKey(const ClassifierOptions& options) {
  return absl::StrCat(
      options.lowercase, " ", options.split_punctuation, " ",
      options.word_ngrams, " ", options.min_n, " ", options.max_n, " ",
      options.min_count, " ", static_cast<int>(options.parts), " ",
      static_cast<int>(options.class_weights), " ", options.dim, " ",
      options.epochs, " ", options.learning_rate, " ", options.l2);
}

}  // namespace firth
