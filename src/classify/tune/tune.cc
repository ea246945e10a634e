// A trial trains one classifier for each fold on which it is measured, with one
// thread each. Trials run in parallel. The result and the report therefore do
// not depend on the number of threads.

#include "firth/tune.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/memory_info.h"
#include "base/quote.h"
#include "base/rng.h"
#include "base/threads.h"
#include "classify/texts/text_labels.h"
#include "classify/train/training_plan.h"
#include "classify/tune/label_scorer.h"
#include "classify/tune/option_space.h"
#include "classify/tune/successive_halving.h"
#include "firth/status_macros.h"
#include "firth/thousands.h"

namespace firth {
namespace {

constexpr uint64_t kDefaultBudget = 1000;  // times the tokens of the text
constexpr uint64_t kLeastDefaultBudget = 50'000'000;
constexpr uint64_t kMostDefaultBudget = 10'000'000'000;
// With fewer texts than this, a fraction of the texts is not representative.
constexpr double kFewestTexts = 2000;
constexpr double kSmallestShare = 1.0 / 64;

// Bytes of a feature in addition to its rows: its text, and its map entry.
constexpr uint64_t kBytesOfFeature = 48;

uint64_t TextBytes(absl::Span<const LabelledText> texts) {
  uint64_t bytes = 0;
  for (const LabelledText& text : texts) {
    bytes += text.text.size() + sizeof(text) +
             text.labels.size() * sizeof(std::string);
  }
  return bytes;
}

std::set<std::string> LabelsOf(absl::Span<const LabelledText> texts) {
  std::set<std::string> labels;
  for (const LabelledText& text : texts) {
    labels.insert(text.labels.begin(), text.labels.end());
  }
  return labels;
}

bool HaveSeveralLabels(absl::Span<const LabelledText> texts) {
  return std::any_of(texts.begin(), texts.end(), [](const LabelledText& text) {
    return text.labels.size() > 1;
  });
}

bool HasLabel(const LabelledText& text, const std::string& label) {
  return std::find(text.labels.begin(), text.labels.end(), label) !=
         text.labels.end();
}

// Returns the fold of each text. Each set of labels is spread evenly over the
// folds.
std::vector<uint32_t> DealFolds(absl::Span<const LabelledText> texts,
                                size_t folds, uint64_t seed) {
  std::map<std::string, std::vector<size_t>> groups;
  for (size_t i = 0; i < texts.size(); ++i) {
    groups[absl::StrJoin(texts[i].labels, "\n")].push_back(i);
  }
  std::vector<uint32_t> fold_of(texts.size());
  size_t next = 0;
  for (auto& [labels, members] : groups) {
    std::sort(members.begin(), members.end(), [seed](size_t a, size_t b) {
      return CombineKeys(seed, a) < CombineKeys(seed, b);
    });
    for (const size_t text : members) {
      fold_of[text] = static_cast<uint32_t>(next++ % folds);
    }
  }
  return fold_of;
}

// Returns the probability of one label for each text.
absl::StatusOr<std::vector<float>> ProbabilitiesOf(
    const Classifier& classifier, absl::Span<const LabelledText> texts,
    const std::string& label, const Hooks& hooks) {
  const std::vector<std::string>& labels = classifier.labels();
  const auto found = std::find(labels.begin(), labels.end(), label);
  std::vector<float> probabilities(texts.size());
  if (found == labels.end()) return probabilities;  // not in the training texts
  const size_t column = found - labels.begin();
  std::vector<float> all(labels.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const absl::string_view text = texts[i].text;
    FIRTH_RETURN_IF_ERROR(
        classifier.Probabilities({text}, absl::MakeSpan(all), 1, hooks));
    probabilities[i] = all[column];
  }
  return probabilities;
}

class Tuner {
 public:
  Tuner(absl::Span<const LabelledText> train,
        absl::Span<const LabelledText> valid, const ClassifierInputs& inputs,
        const TuneOptions& options, const Hooks& hooks)
      : train_(train),
        valid_(valid),
        inputs_(inputs),
        options_(options),
        hooks_(hooks),
        text_bytes_(TextBytes(train)),
        num_labels_(LabelsOf(train).size()),
        several_labels_(HaveSeveralLabels(train)) {}

  absl::Status Prepare(const ClassifierOptions& start) {
    FIRTH_RETURN_IF_ERROR(options_.Validate());
    FIRTH_RETURN_IF_ERROR(start.Validate());
    if (train_.size() < 2 * folds()) {
      return absl::InvalidArgumentError(
          absl::StrCat("folds: needs at least ", 2 * folds(),
                       " training texts, found ", train_.size()));
    }
    const std::set<std::string> labels = LabelsOf(train_);
    FIRTH_RETURN_IF_ERROR(CheckLabelsAmong({labels.begin(), labels.end()},
                                           valid_, "the texts to measure on",
                                           "the training texts"));
    FIRTH_RETURN_IF_ERROR(CheckMetric());
    start_ = start;
    start_.seed = options_.seed;
    start_.threads = 1;
    fold_of_ = DealFolds(train_, folds(), options_.seed);
    words_ = EstimateFeatures(train_, start_).tokens;
    // Automatic options are known only after a training run.
    FIRTH_ASSIGN_OR_RETURN(const Trained first,
                           Measure(start_, 0, SmallestShare()));
    first_ = first.measured;
    resolved_ = first.resolved;
    return absl::OkStatus();
  }

  absl::StatusOr<TuneReport> Run(
      const std::vector<std::string>& fixed,
      const std::function<void(const TuneTrial&)>& on_trial) {
    const OptionSpace space(start_, resolved_, words_, inputs_, options_.metric,
                            fixed);
    Tournament tournament;
    tournament.folds = folds();
    tournament.smallest_share = SmallestShare();
    tournament.budget_tokens =
        options_.budget_tokens > 0
            ? options_.budget_tokens
            : std::clamp(kDefaultBudget * words_, kLeastDefaultBudget,
                         kMostDefaultBudget);
    tournament.memory_bytes = options_.memory_bytes > 0
                                  ? options_.memory_bytes
                                  : AvailableMemoryBytes();
    tournament.seed = options_.seed;
    tournament.threads = NumThreads(options_.threads);
    tournament.tokens = [this](const ClassifierOptions& options) {
      return TokensOf(options);
    };
    tournament.memory = [this](const ClassifierOptions& options) {
      return MemoryOf(options);
    };
    tournament.draw = [&](const ClassifierOptions& from, double spread,
                          Rng* rng) { return space.Draw(from, spread, rng); };
    const std::string start_key = OptionKey(start_);
    tournament.measure = [&](const ClassifierOptions& options, size_t fold,
                             double share) -> absl::StatusOr<Measured> {
      if (fold == 0 && share == SmallestShare() &&
          OptionKey(options) == start_key) {
        return *first_;
      }
      FIRTH_ASSIGN_OR_RETURN(Trained trained, Measure(options, fold, share));
      return std::move(trained.measured);
    };
    return RunTournament(tournament, start_, hooks_, on_trial);
  }

 private:
  struct Trained {
    Measured measured;
    ClassifierOptions resolved;
  };

  absl::Status CheckMetric() const {
    if (options_.metric.kind != TuneMetric::Kind::kPrecisionAtRecall) {
      return absl::OkStatus();
    }
    const absl::Span<const LabelledText> measured =
        valid_.empty() ? train_ : valid_;
    const auto texts = static_cast<uint64_t>(std::count_if(
        measured.begin(), measured.end(), [this](const LabelledText& text) {
          return HasLabel(text, options_.metric.label);
        }));
    if (texts >= folds() && LabelsOf(train_).contains(options_.metric.label)) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        absl::StrCat("metric: the label ", Quote(options_.metric.label),
                     " must occur in at least ", folds(), " texts, found ",
                     Thousands(texts)));
  }

  size_t folds() const { return valid_.empty() ? options_.folds : 1; }
  double SmallestShare() const {
    double share = 1;
    const auto texts = static_cast<double>(train_.size());
    while (share / 2 >= kSmallestShare && share / 2 * texts >= kFewestTexts) {
      share /= 2;
    }
    return share;
  }

  // Returns the options with which a trial is trained.
  ClassifierOptions TrialOptions(ClassifierOptions options) const {
    // Held-out texts are used to combine the parts and to set thresholds.
    // Neither is needed to predict one label with one part.
    if (!several_labels_ && options.parts != ClassifierParts::kBoth) {
      options.held_out = 0;
    }
    return options;
  }

  uint64_t TokensOf(const ClassifierOptions& options) const {
    const auto parts = static_cast<double>(folds());
    const double learned = valid_.empty() ? (parts - 1) / parts : 1;
    const auto tokens =
        static_cast<uint64_t>(learned * static_cast<double>(words_));
    const auto texts =
        static_cast<size_t>(learned * static_cast<double>(train_.size()));
    const uint64_t epochs =
        options.epochs > 0 ? options.epochs : AutomaticEpochs(options, tokens);
    return tokens * epochs *
           (1 + NumHeldOutFolds(TrialOptions(options), texts));
  }

  uint64_t MemoryOf(const ClassifierOptions& options) {
    const std::string key = absl::StrCat(
        options.lowercase, " ", options.split_punctuation, " ",
        options.word_ngrams, " ", options.min_n, " ", options.max_n, " ",
        options.min_count, " ", options.buckets);
    if (!features_.contains(key)) {
      features_[key] = EstimateFeatures(train_, options);
    }
    const FeatureEstimate& features = features_[key];
    ClassifierOptions resolved = options;
    resolved.loss = resolved_.loss;
    if (resolved.dim == 0) resolved.dim = resolved_.dim;
    return text_bytes_ + features.features * kBytesOfFeature +
           TrainingBytes(resolved, features.features, features.occurrences,
                         train_.size(), num_labels_, 0);
  }

  // Return the texts for training, and those for measuring.
  std::vector<LabelledText> TrainTexts(size_t fold, double share) const {
    std::vector<LabelledText> texts;
    const auto below = static_cast<uint64_t>(share * 0x1p32);
    for (size_t i = 0; i < train_.size(); ++i) {
      const bool learned = !valid_.empty() || fold_of_[i] != fold;
      // Uses other random bits than those that assign the folds.
      const uint64_t drawn = CombineKeys(options_.seed + 1, i) >> 32;
      if (learned && drawn < below) texts.push_back(train_[i]);
    }
    return texts;
  }

  std::vector<LabelledText> TestTexts(size_t fold) const {
    if (!valid_.empty()) return {valid_.begin(), valid_.end()};
    std::vector<LabelledText> texts;
    for (size_t i = 0; i < train_.size(); ++i) {
      if (fold_of_[i] == fold) texts.push_back(train_[i]);
    }
    return texts;
  }

  absl::StatusOr<Trained> Measure(const ClassifierOptions& options, size_t fold,
                                  double share) const {
    const std::vector<LabelledText> train = TrainTexts(fold, share);
    const Hooks stop = {nullptr, hooks_.stop};
    ClassifierReport report;
    absl::StatusOr<Classifier> classifier = Classifier::Train(
        train, {}, inputs_, TrialOptions(options), stop, &report);
    Trained trained;
    trained.measured.tokens = report.words * report.epochs.size();
    if (absl::IsOutOfRange(classifier.status())) {
      trained.measured.left_out = "its loss was not finite";
      return trained;
    }
    if (!classifier.ok()) return classifier.status();
    if (report.interrupted) return absl::CancelledError("interrupted");
    trained.resolved = classifier->options();
    if (options_.max_bytes > 0) {
      classifier = QuantizeClassifier(*classifier, train,
                                      {.max_bytes = options_.max_bytes}, stop);
      if (absl::IsInvalidArgument(classifier.status())) {
        trained.measured.left_out = std::string(classifier.status().message());
        return trained;
      }
      if (!classifier.ok()) return classifier.status();
    }
    trained.measured.bytes = classifier->FileBytes();
    FIRTH_ASSIGN_OR_RETURN(trained.measured.score,
                           Score(*classifier, TestTexts(fold)));
    return trained;
  }

  absl::StatusOr<double> Score(const Classifier& classifier,
                               absl::Span<const LabelledText> texts) const {
    const Hooks stop = {nullptr, hooks_.stop};
    if (options_.metric.kind == TuneMetric::Kind::kPrecisionAtRecall) {
      const TuneMetric& metric = options_.metric;
      FIRTH_ASSIGN_OR_RETURN(
          const std::vector<float> probabilities,
          ProbabilitiesOf(classifier, texts, metric.label, stop));
      std::vector<bool> gold;
      for (const LabelledText& text : texts) {
        gold.push_back(HasLabel(text, metric.label));
      }
      return PrecisionAtRecall(probabilities, gold, metric.recall);
    }
    PredictOptions predict;
    predict.top = several_labels_ ? 0 : 1;
    predict.threads = 1;
    FIRTH_ASSIGN_OR_RETURN(const LabelScores scores,
                           ScoreAnyLabels(classifier, texts, predict, stop));
    switch (options_.metric.kind) {
      case TuneMetric::Kind::kMacroF1:
        return scores.macro_f1;
      case TuneMetric::Kind::kMicroF1:
        return scores.all.f1();
      default:
        return scores.accuracy();
    }
  }

  const absl::Span<const LabelledText> train_;
  const absl::Span<const LabelledText> valid_;
  const ClassifierInputs& inputs_;
  const TuneOptions& options_;
  const Hooks& hooks_;
  const uint64_t text_bytes_;
  const size_t num_labels_;
  const bool several_labels_;
  uint64_t words_ = 0;
  ClassifierOptions start_;
  ClassifierOptions resolved_;  // see OptionSpace
  std::vector<uint32_t> fold_of_;
  // The result of start_ on the smallest fraction of the first fold.
  std::optional<Measured> first_;
  // Estimates by the options on which they depend.
  std::map<std::string, FeatureEstimate> features_;
};

}  // namespace

absl::StatusOr<TuneReport> TuneClassifier(
    absl::Span<const LabelledText> train, absl::Span<const LabelledText> valid,
    const ClassifierInputs& inputs, const ClassifierOptions& start,
    const std::vector<std::string>& fixed, const TuneOptions& options,
    const Hooks& hooks, const std::function<void(const TuneTrial&)>& on_trial) {
  Tuner tuner(train, valid, inputs, options, hooks);
  FIRTH_RETURN_IF_ERROR(tuner.Prepare(start));
  return tuner.Run(fixed, on_trial);
}

}  // namespace firth
