// Taggers that are hidden Markov models: their options, how they are trained,
// and their use as a TagModel.

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "firth/tagger.h"
#include "tag/baum_welch.h"
#include "tag/hmm_counts.h"
#include "tag/hmm_file.h"
#include "tag/hmm_lattice.h"
#include "tag/hmm_model.h"
#include "tag/tag_model.h"
#include "tag/tag_set.h"
#include "tag/tagger_model.h"

namespace firth {
namespace {

// A model and what is prepared from it for tagging.
class HmmTagModel final : public TagModel {
 public:
  explicit HmmTagModel(HmmModel model)
      : model_(std::move(model)),
        table_(model_),
        lexicon_(model_),
        lattice_(table_) {}
  HmmTagModel(const HmmTagModel&) = delete;

  const std::vector<std::string>& tags() const override { return model_.tags; }

  Predictions Predict(Sentences sentences, bool with_probabilities,
                      const Hooks& hooks) override {
    std::vector<PredictedTags> predicted;
    predicted.reserve(sentences.size());
    for (const std::vector<std::string>* const tokens : sentences) {
      if (hooks.StopRequested()) return absl::CancelledError("stopped");
      hooks.ReportWork(predicted.size(), sentences.size());
      predicted.push_back(Predict(*tokens, with_probabilities));
    }
    return predicted;
  }

  absl::Status Save(const std::string& path) const override {
    return SaveHmm(model_, path);
  }

 private:
  PredictedTags Predict(const std::vector<std::string>& tokens,
                        bool with_probabilities) {
    lattice_.Clear();
    for (size_t i = 0; i < tokens.size(); ++i) {
      lattice_.Add(lexicon_.Find(tokens[i], i == 0));
    }
    const std::vector<uint32_t>& best = lattice_.BestTags();
    PredictedTags predicted;
    predicted.tags.reserve(best.size());
    for (const uint32_t tag : best) predicted.tags.push_back(model_.tags[tag]);
    if (!with_probabilities) return predicted;
    lattice_.Forward();
    NoExpectations none;
    lattice_.Backward(&none);
    for (size_t i = 0; i < best.size(); ++i) {
      // A sum in another order may be above 1 in the last bit.
      predicted.probabilities.push_back(
          std::min(1.0, lattice_.Posterior(i, best[i])));
    }
    return predicted;
  }

  HmmModel model_;
  TransitionTable table_;
  HmmLexicon lexicon_;
  HmmLattice lattice_;
};

absl::StatusOr<std::unique_ptr<TagModel>> OpenHmm(const MappedFilePtr& file,
                                                  const TaggerInputs& inputs,
                                                  int /*threads*/) {
  FIRTH_ASSIGN_OR_RETURN(std::optional<HmmModel> model, LoadIfHmm(file));
  if (!model.has_value()) return nullptr;
  // Fails if there are any inputs.
  FIRTH_RETURN_IF_ERROR(CheckInputs(TaggerModel(), file->path(), inputs));
  return std::make_unique<HmmTagModel>(*std::move(model));
}

uint64_t CountTokens(absl::Span<const TaggedSentence> sentences) {
  uint64_t tokens = 0;
  for (const TaggedSentence& sentence : sentences) {
    tokens += sentence.tokens.size();
  }
  return tokens;
}

uint64_t CountParameters(const HmmModel& model) {
  return model.unigrams.size() + model.bigrams.values.size() +
         model.trigrams.values.size() + model.emissions.values.size() +
         model.ending_tags.values.size();
}

absl::StatusOr<TagScores> Score(HmmModel model,
                                absl::Span<const TaggedSentence> sentences,
                                const Hooks& hooks) {
  RoundForFile(&model);
  HmmTagModel tagger(std::move(model));
  TagModel::Sentences tokens;
  for (const TaggedSentence& sentence : sentences) {
    tokens.push_back(&sentence.tokens);
  }
  FIRTH_ASSIGN_OR_RETURN(const auto predicted,
                         tagger.Predict(std::move(tokens), false, hooks));
  TagScorer scorer;
  for (size_t i = 0; i < predicted.size(); ++i) {
    scorer.Add(sentences[i].tags, predicted[i].tags);
  }
  return scorer.scores();
}

// Measures the current model of the learner. Appends the results to the report.
absl::Status Measure(absl::Span<const TaggedSentence> dev, uint64_t tokens,
                     const Hooks& hooks, BaumWelch* learner,
                     TaggerReport* report) {
  const auto start = std::chrono::steady_clock::now();
  TaggerEpoch epoch;
  FIRTH_ASSIGN_OR_RETURN(const double log_p, learner->Expect(hooks));
  epoch.loss = -log_p / static_cast<double>(tokens);
  if (!dev.empty()) {
    FIRTH_ASSIGN_OR_RETURN(epoch.dev, Score(learner->model(), dev, hooks));
  }
  epoch.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  report->epochs.push_back(std::move(epoch));
  return absl::OkStatus();
}

// Returns whether the last epoch is the one to keep.
bool IsBest(const TaggerReport& report) {
  if (report.epochs.back().dev.tokens == 0 || report.best_epoch == 0) {
    return true;
  }
  return MainScore(report.epochs.back().dev) >
         MainScore(report.epochs[report.best_epoch - 1].dev);
}

// Runs Baum-Welch training. Returns the best model.
absl::StatusOr<HmmModel> Reestimate(HmmModel model, HmmCounts counts,
                                    absl::Span<const TaggedSentence> dev,
                                    absl::Span<const TaggedSentence> unlabeled,
                                    uint64_t iterations,
                                    const TaggerHooks& hooks,
                                    TaggerReport* report) {
  std::vector<WordIds> sentences;
  if (unlabeled.empty()) {
    iterations = 0;
  } else {
    sentences = AddUntagged(unlabeled, &model, &counts);
  }
  BaumWelch learner(model, counts, sentences);
  const uint64_t tokens = report->train_tokens + CountTokens(unlabeled);
  while (true) {
    const absl::Status measured =
        Measure(dev, tokens, hooks.hooks, &learner, report);
    report->interrupted = absl::IsCancelled(measured);
    if (report->interrupted && !report->epochs.empty()) return model;
    if (!measured.ok()) return measured;
    if (IsBest(*report)) {
      model = learner.model();
      if (!dev.empty()) report->best_epoch = report->epochs.size();
    }
    if (hooks.on_epoch) hooks.on_epoch(*report);
    if (report->epochs.size() > iterations) return model;
    learner.Maximize();
  }
}

}  // namespace

const TagModelKind kHmmTagger = {&OpenHmm, &DescribeHmm};

FieldTable HmmOptions::Fields() {
  FieldsOf<HmmOptions> fields;
  fields.Section("Hidden Markov model");
  fields.Add("rare-count", &HmmOptions::rare_count,
             "maximum number of occurrences of the words whose endings are "
             "used to guess the tags of unknown words",
             Field().Range(1, 1e9).Shape());
  fields.Add("ending-length", &HmmOptions::ending_length,
             "maximum number of characters of these endings",
             Field().Range(0, 100).Shape());
  fields.Add("iterations", &HmmOptions::iterations,
             "number of Baum-Welch iterations over --unlabeled; more than one "
             "or two mostly make tags worse, so give --dev, by which the best "
             "is kept",
             Field().Range(1, 10000).Habit());
  return fields;
}

absl::Status HmmOptions::Validate() const { return CheckFields(*this); }

absl::StatusOr<Tagger> Tagger::TrainHmm(
    absl::Span<const TaggedSentence> train,
    absl::Span<const TaggedSentence> dev,
    absl::Span<const TaggedSentence> unlabeled, const HmmOptions& options,
    const TaggerHooks& hooks, TaggerReport* report) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  FIRTH_RETURN_IF_ERROR(CheckTagged(train));
  FIRTH_RETURN_IF_ERROR(CheckTagged(dev));
  FIRTH_RETURN_IF_ERROR(CheckForHmm(train));
  FIRTH_RETURN_IF_ERROR(CheckForHmm(unlabeled));
  FIRTH_ASSIGN_OR_RETURN(const TagNumbers numbers, TagNumbers::Of(train));
  if (numbers.tags().empty()) {
    return absl::InvalidArgumentError("there are no sentences to learn from");
  }
  *report = {};
  report->train_sentences = train.size();
  report->train_tokens = CountTokens(train);
  HmmCounts counts = CountTagged(train, numbers);
  HmmModel estimated = EstimateHmm(counts, numbers.tags(), options);
  FIRTH_ASSIGN_OR_RETURN(
      HmmModel model, Reestimate(std::move(estimated), std::move(counts), dev,
                                 unlabeled, options.iterations, hooks, report));
  RoundForFile(&model);
  report->parameters = CountParameters(model);
  return Tagger(std::make_unique<HmmTagModel>(std::move(model)));
}

}  // namespace firth
