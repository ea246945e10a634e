// Tags are predicted by linear models, one for each kind of vectors. What such
// a model gets right is contained in the vectors. The baselines are the
// most frequent tag of each word, and a hidden Markov model, which reads words.

#include <algorithm>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "firth/fields.h"
#include "firth/probe.h"
#include "firth/status_macros.h"
#include "lm/learn/drawn_batches.h"
#include "tag/tag_learner.h"
#include "tag/tag_set.h"
#include "tag/token_features.h"

namespace firth {
namespace {

constexpr uint64_t kBatch = 16;
// Few sentences are read more often than many.
constexpr uint64_t kSteps = 4000;
constexpr uint64_t kFewestEpochs = 10;
constexpr uint64_t kMostEpochs = 200;

std::vector<TaggedSentence> DrawSentences(
    absl::Span<const TaggedSentence> sentences, const ProbeOptions& options) {
  if (options.labels == 0) return {sentences.begin(), sentences.end()};
  std::vector<TaggedSentence> drawn;
  uint64_t labels = 0;
  for (const size_t i : DrawnOrder(sentences.size(), options.seed)) {
    if (labels >= options.labels) break;
    drawn.push_back(sentences[i]);
    labels += sentences[i].tags.size();
  }
  return drawn;
}

uint64_t CountTokens(absl::Span<const TaggedSentence> sentences) {
  uint64_t tokens = 0;
  for (const auto& sentence : sentences) tokens += sentence.tokens.size();
  return tokens;
}

// Predicts the most frequent tag of a word, or of all words for a new word.
double MostFrequentTagAccuracy(absl::Span<const TaggedSentence> train,
                               absl::Span<const TaggedSentence> test) {
  using Counts = std::map<std::string, uint64_t>;
  absl::flat_hash_map<std::string, Counts> of_word;
  Counts of_all;
  for (const TaggedSentence& sentence : train) {
    for (size_t i = 0; i < sentence.tokens.size(); ++i) {
      ++of_word[sentence.tokens[i]][sentence.tags[i]];
      ++of_all[sentence.tags[i]];
    }
  }
  const auto best = [](const Counts& counts) {
    return std::max_element(
               counts.begin(), counts.end(),
               [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  };
  uint64_t right = 0;
  for (const TaggedSentence& sentence : test) {
    for (size_t i = 0; i < sentence.tokens.size(); ++i) {
      const auto found = of_word.find(sentence.tokens[i]);
      right += sentence.tags[i] ==
                       best(found == of_word.end() ? of_all : found->second)
                   ? 1
                   : 0;
    }
  }
  return static_cast<double>(right) / static_cast<double>(CountTokens(test));
}

absl::StatusOr<double> HmmAccuracy(absl::Span<const TaggedSentence> train,
                                   absl::Span<const TaggedSentence> test,
                                   const Hooks& hooks) {
  TaggerReport report;
  FIRTH_ASSIGN_OR_RETURN(
      Tagger tagger,
      Tagger::TrainHmm(train, {}, {}, HmmOptions(), {hooks, {}}, &report));
  std::vector<TaggedSentence> tagged(test.begin(), test.end());
  FIRTH_RETURN_IF_ERROR(tagger.Tag(absl::MakeSpan(tagged), {}, hooks));
  TagScorer scorer;
  for (const TaggedSentence& sentence : tagged) {
    scorer.Add(sentence.tags, sentence.predicted);
  }
  return scorer.scores().accuracy();
}

struct NamedChoice {
  std::string name;
  FeatureChoice choice;
};

std::vector<NamedChoice> Choices(const TokenFeatureSource& source) {
  std::vector<NamedChoice> choices;
  const bool has_static = source.vectors() != nullptr;
  if (has_static) choices.push_back({"static", {true, {}}});
  for (size_t j = 0; j < source.num_layers(); ++j) {
    choices.push_back({absl::StrCat("layer ", j), {false, {j}}});
  }
  if (source.num_layers() > 1) {
    choices.push_back({"mix", {false, source.All().layers}});
  }
  for (size_t j = 1; has_static && j < source.num_layers(); ++j) {
    choices.push_back({absl::StrCat("static + layer ", j), {true, {j}}});
  }
  return choices;
}

TaggerOptions TrainingOptions(const ProbeOptions& options, size_t sentences) {
  TaggerOptions training;
  training.lstm_layers = 0;
  training.dropout = 0;
  training.mix_l2 = 0;
  training.clip = 0;
  training.batch = kBatch;
  training.learning_rate = options.learning_rate;
  training.seed = options.seed;
  training.threads = options.threads;
  const uint64_t steps_an_epoch = (sentences + kBatch - 1) / kBatch;
  training.epochs =
      std::clamp(kSteps / steps_an_epoch, kFewestEpochs, kMostEpochs);
  return training;
}

}  // namespace

FieldTable ProbeOptions::Fields() {
  FieldsOf<ProbeOptions> fields;
  fields.Section("Tags");
  fields.Add("labels", &ProbeOptions::labels,
             "train on sentences drawn at random from --train that have this "
             "many tags in total; 0 means all sentences");
  fields.Add("learning-rate", &ProbeOptions::learning_rate,
             "set Adam's learning rate", Field().Range(1e-12, 1e9));
  fields.Add("cache", &ProbeOptions::cache_bytes,
             "maximum memory for contextual vectors; the rest are computed "
             "each time they are needed",
             Field().Size().Work().Default(""));
  fields.Section("Running");
  fields.Add("seed", &ProbeOptions::seed,
             "set the random seed for the sample and the initial weights");
  fields.Add("threads", &ProbeOptions::threads,
             "number of threads; with 2, each direction has its own thread. 0 "
             "means all cores",
             Field().Range(0, kMostThreads).Work());
  return fields;
}

absl::Status ProbeOptions::Validate() const { return CheckFields(*this); }

absl::StatusOr<TagProbeReport> ProbeTags(
    absl::Span<const TaggedSentence> all_train,
    absl::Span<const TaggedSentence> test, const TaggerInputs& inputs,
    const ProbeOptions& options, const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  FIRTH_RETURN_IF_ERROR(CheckTagged(all_train));
  FIRTH_RETURN_IF_ERROR(CheckTagged(test));
  if (inputs.vectors.empty() && inputs.contextualizer.empty()) {
    return absl::InvalidArgumentError(
        "give static vectors, a contextualizer or both");
  }
  const std::vector<TaggedSentence> train = DrawSentences(all_train, options);
  FIRTH_ASSIGN_OR_RETURN(const TagNumbers numbers, TagNumbers::Of(train));
  FIRTH_ASSIGN_OR_RETURN(TokenFeatureSource source,
                         TokenFeatureSource::Load(inputs, options.threads));
  TagSet train_set(train, &source, options.cache_bytes / 2);
  TagSet test_set(test, &source, options.cache_bytes / 2);
  TagSet no_dev({}, &source, 0);
  const TaggerOptions training = TrainingOptions(options, train.size());
  TagProbeReport report;
  report.train_tokens = CountTokens(train);
  report.test_tokens = CountTokens(test);
  report.scores.push_back(
      {"most frequent tag", MostFrequentTagAccuracy(train, test), {}});
  const absl::StatusOr<double> hmm = HmmAccuracy(train, test, hooks);
  report.interrupted = hooks.StopRequested();
  if (report.interrupted) return report;
  if (!hmm.ok()) return hmm.status();
  report.scores.push_back({"hidden Markov model", *hmm, {}});
  for (const NamedChoice& named : Choices(source)) {
    TagNetwork<float> network(
        NetworkOptions(training, source, named.choice, numbers.tags().size()),
        CombineKeys(options.seed, 2));
    TaggerReport trained;
    const auto train_and_score = [&]() -> absl::StatusOr<TagScores> {
      FIRTH_RETURN_IF_ERROR(
          TrainTagNetwork({train_set, no_dev, numbers, named.choice, training},
                          {hooks, {}}, {}, network, &trained));
      return ScoreTags(test_set, numbers.tags(), named.choice, training, hooks,
                       network);
    };
    const absl::StatusOr<TagScores> scores = train_and_score();
    report.interrupted = hooks.StopRequested();
    if (report.interrupted) return report;
    if (!scores.ok()) return scores.status();
    const bool mixed = named.choice.layers.size() > 1;
    report.scores.push_back({named.name, scores->accuracy(),
                             mixed ? MixesOf(network)[0] : MixWeights()});
  }
  return report;
}

}  // namespace firth
