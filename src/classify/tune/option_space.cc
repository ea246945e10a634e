// Each knob changes one option, or two that belong together. A draw always
// changes one of them, and the others with a frequency given by the spread.
// There is no knob for fixed options, or for those that could not help.

#include "classify/tune/option_space.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "classify/train/training_plan.h"

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

// Numbers are drawn around their current or automatic values.
struct OptionSpace::Turn {
  void Lowercase() { options.lowercase = !options.lowercase; }
  void Punctuation() { options.split_punctuation = !options.split_punctuation; }
  void WordNgrams() { options.word_ngrams = OneOf<uint64_t>({1, 2, 3}, rng); }
  void Characters() {
    constexpr std::pair<uint64_t, uint64_t> kRanges[] = {
        {0, 0}, {2, 4}, {2, 5}, {3, 5}, {3, 6}, {1, 5}};
    std::tie(options.min_n, options.max_n) = OneOf(kRanges, rng);
  }
  void MinCount() {
    // No word of a short text may be that frequent.
    constexpr uint64_t kTokensACount = 2000;
    options.min_count =
        std::min(OneOf<uint64_t>({1, 2, 3, 5}, rng),
                 std::max<uint64_t>(space.tokens_ / kTokensACount, 1));
  }
  void Parts() {
    // The deep part alone takes the most time and is rarely the best.
    options.parts = OneOf(
        {ClassifierParts::kBoth, ClassifierParts::kBoth, ClassifierParts::kWide,
         ClassifierParts::kWide, ClassifierParts::kDeep},
        rng);
  }
  void Weights() {
    options.class_weights = options.class_weights == ClassWeights::kNone
                                ? ClassWeights::kBalanced
                                : ClassWeights::kNone;
  }
  void Dim() { options.dim = OneOf<uint64_t>({8, 16, 32, 64, 128}, rng); }
  void Epochs() {
    const uint64_t automatic = AutomaticEpochs(options, space.tokens_);
    const uint64_t now = options.epochs > 0 ? options.epochs : automatic;
    options.epochs = static_cast<uint64_t>(
        std::clamp(std::round(Around(static_cast<double>(now), 3)), 1.0,
                   10.0 * static_cast<double>(automatic)));
  }
  void LearningRate() {
    const double now = options.learning_rate > 0
                           ? options.learning_rate
                           : space.resolved_.learning_rate;
    options.learning_rate = TwoDigits(Around(now, 5));
  }
  void L2() {
    const double now = options.l2 > 0 ? options.l2 : space.resolved_.l2;
    options.l2 = TwoDigits(Around(now, 10));
  }

  // Returns a random number around `value`, different by a factor of at most
  // `most` at full spread.
  double Around(double value, double most) const {
    return value * std::pow(most, spread * (2 * NextShare(rng) - 1));
  }

  const OptionSpace& space;
  const double spread;
  Rng* const rng;
  ClassifierOptions options;
};

OptionSpace::OptionSpace(const ClassifierOptions& start,
                         const ClassifierOptions& resolved, uint64_t tokens,
                         const ClassifierInputs& inputs,
                         const TuneMetric& metric,
                         const std::vector<std::string>& fixed)
    : start_(start), resolved_(resolved), tokens_(tokens) {
  const auto add = [&](std::initializer_list<const char*> names, Knob knob) {
    const bool is_fixed = absl::c_any_of(names, [&](const char* name) {
      return absl::c_linear_search(fixed, name);
    });
    if (!is_fixed) knobs_.push_back(knob);
  };
  add({"lowercase"}, &Turn::Lowercase);
  add({"split-punctuation"}, &Turn::Punctuation);
  add({"word-ngrams"}, &Turn::WordNgrams);
  add({"min-n", "max-n"}, &Turn::Characters);
  add({"min-count"}, &Turn::MinCount);
  const bool reads_files =
      !inputs.vectors.empty() || !inputs.contextualizer.empty();
  if (!IsDeepLoss(start.loss) && !reads_files) add({"parts"}, &Turn::Parts);
  if (metric.kind != TuneMetric::Kind::kAccuracy &&
      metric.kind != TuneMetric::Kind::kMicroF1) {
    add({"class-weights"}, &Turn::Weights);
  }
  if (inputs.vectors.empty()) add({"dim"}, &Turn::Dim);
  add({"epochs"}, &Turn::Epochs);
  add({"learning-rate"}, &Turn::LearningRate);
  add({"l2"}, &Turn::L2);
}

ClassifierOptions OptionSpace::Draw(const ClassifierOptions& from,
                                    double spread, Rng* rng) const {
  if (knobs_.empty()) return from;
  Turn turn{*this, spread, rng, from};
  // One knob is always turned, the others with half of the spread.
  const size_t sure = rng->Below(static_cast<uint32_t>(knobs_.size()));
  for (size_t i = 0; i < knobs_.size(); ++i) {
    const bool turned = NextShare(rng) < spread / 2;
    if (turned || i == sure) (turn.*knobs_[i])();
  }
  ForgetMissingPart(start_, &turn.options);
  return turn.options;
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
