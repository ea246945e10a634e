// The public interface of language models.

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/rng.h"
#include "corpus/held_out.h"
#include "corpus/token_stream.h"
#include "firth/language_model.h"
#include "firth/status_macros.h"
#include "firth/vector_training.h"
#include "lm/language_model_learner.h"
#include "lm/network_model.h"
#include "lm/text_model.h"
#include "lm/training_setup.h"
#include "nlohmann/json.hpp"

namespace firth {

namespace {

absl::Status CheckRead(const Corpus& text) {
  if (text.tokens != nullptr && text.tokens->num_words() > 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "the text was only counted and has no tokens; read it with its tokens");
}

// Checks that the model can predict enough words of the text. Any model that
// was trained on rare words predicts <UNK> well, so <UNK> alone says little.
absl::Status CheckHeldOutText(const Corpus& text,
                              const BiLanguageModel& model) {
  HeldOutTokens counts;
  counts.all = text.tokens->num_words();
  for (size_t i = 0; i < text.vocabulary.size(); ++i) {
    const WordId word = ToWordId(i);
    if (model.TargetOf(text.vocabulary.Word(word)) != kUnknownId) {
      counts.known += text.vocabulary.Count(word);
    }
  }
  counts.usable = counts.known;
  return CheckHeldOut(counts, "tokens of words that are predicted");
}

// Losses of a few hundred nats are finite, but exp(710) overflows a double.
absl::StatusOr<Perplexity> WithFinitePerplexity(
    absl::StatusOr<Perplexity> measured) {
  if (!measured.ok() || measured->continuous) return measured;
  for (const DirectionPerplexity& of :
       {measured->forward, measured->backward}) {
    if (of.tokens == 0 || std::isfinite(std::exp(of.loss))) continue;
    return absl::OutOfRangeError(absl::StrCat(
        "the perplexity is not finite, since the loss is ", of.loss,
        " nats per token; weights of the model are too large"));
  }
  return measured;
}

// Trains on a text that has been cut into the units that the model reads:
// words, or pieces of words.
absl::StatusOr<LanguageModelReport> TrainOn(
    const Corpus& text, const LanguageModelTraining& training,
    const Hooks& hooks, const Checkpointing& checkpointing,
    std::unique_ptr<BiLanguageModel>* trained) {
  Checkpointing reserved = checkpointing;
  FIRTH_RETURN_IF_ERROR(ReserveCheckpoints(&reserved));
  FIRTH_ASSIGN_OR_RETURN(*trained, MakeFirstModel(training, text));
  FIRTH_ASSIGN_OR_RETURN(std::unique_ptr<TextTask> task,
                         MakeTextTask(training, text, trained->get()));
  if (training.validation != nullptr) {
    FIRTH_RETURN_IF_ERROR(CheckHeldOutText(*training.validation, **trained));
  }
  LanguageModelLearner learner(training, text, trained->get(), std::move(task));
  if (hooks.progress != nullptr && !learner.Shortage().empty()) {
    hooks.progress->OnWarning(learner.Shortage());
  }
  const RunOptions run_options{
      .hooks = hooks,
      .checkpointing = reserved,
      .patience = static_cast<uint64_t>(training.patience)};
  FIRTH_ASSIGN_OR_RETURN(const RunReport run,
                         Run(learner, run_options).Drive());
  return learner.Report(run);
}

}  // namespace

LanguageModel::LanguageModel(std::unique_ptr<TextModel> model)
    : model_(std::move(model)) {}
LanguageModel::~LanguageModel() = default;
LanguageModel::LanguageModel(LanguageModel&&) noexcept = default;
LanguageModel& LanguageModel::operator=(LanguageModel&&) noexcept = default;

absl::StatusOr<LanguageModel> LanguageModel::Load(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(std::unique_ptr<TextModel> model, OpenTextModel(path));
  return LanguageModel(std::move(model));
}

absl::Status LanguageModel::Save(const std::string& path) {
  return model_->Save(path);
}

std::map<std::string, std::string>& LanguageModel::metadata() {
  return model_->metadata();
}

absl::StatusOr<Perplexity> LanguageModel::Measure(const Corpus& text,
                                                  const MeasureOptions& options,
                                                  const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(CheckRead(text));
  return WithFinitePerplexity(model_->Measure(text, options, hooks));
}

absl::StatusOr<std::vector<std::vector<TokenScore>>> LanguageModel::TokenScores(
    absl::Span<const Sentence> sentences, const Hooks& hooks) {
  return model_->TokenScores(sentences, hooks);
}

absl::StatusOr<std::vector<SentenceScore>> LanguageModel::Score(
    absl::Span<const Sentence> sentences, const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(const std::vector<std::vector<TokenScore>> tokens,
                         TokenScores(sentences, hooks));
  std::vector<SentenceScore> scores(tokens.size());
  for (size_t i = 0; i < tokens.size(); ++i) {
    for (const TokenScore& token : tokens[i]) {
      scores[i].log_probability += token.log_probability;
      ++scores[i].tokens;
      if (token.unknown) ++scores[i].unknown;
    }
  }
  return scores;
}

absl::StatusOr<std::vector<std::vector<WordProbability>>> LanguageModel::Fill(
    const Sentence& sentence, size_t count) {
  return model_->Fill(sentence, count);
}

absl::StatusOr<std::vector<double>> LanguageModel::NextSentence(
    absl::Span<const Pair> pairs, const Hooks& hooks) {
  return model_->NextSentence(pairs, hooks);
}

absl::StatusOr<std::vector<GeneratedSentence>> LanguageModel::Generate(
    const GenerateOptions& options, const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  FIRTH_ASSIGN_OR_RETURN(const std::unique_ptr<Continuation> next,
                         model_->Continue(options));
  const auto count = static_cast<size_t>(options.count);
  std::vector<GeneratedSentence> sentences;
  if (options.beam > 1) {
    FIRTH_ASSIGN_OR_RETURN(sentences, next->Search(options, hooks));
    if (sentences.size() > count) sentences.resize(count);
    return sentences;
  }
  for (size_t i = 0; i < count; ++i) {
    hooks.ReportWork(i, count);
    FIRTH_ASSIGN_OR_RETURN(
        sentences.emplace_back(),
        next->Draw(options, CombineKeys(options.seed, i), hooks));
  }
  return sentences;
}

absl::StatusOr<TrainedLanguageModel> TrainLanguageModel(
    const Corpus& text, const LanguageModelTraining& training,
    const Hooks& hooks, const Checkpointing& checkpointing) {
  FIRTH_RETURN_IF_ERROR(training.Validate());
  FIRTH_RETURN_IF_ERROR(CheckRead(text));
  if (training.validation != nullptr) {
    FIRTH_RETURN_IF_ERROR(CheckRead(*training.validation));
  }
  const BiLanguageModel* const start = StartOf(training);
  if (start == nullptr && training.start != nullptr) {
    return absl::FailedPreconditionError(
        "this language model has no layers and cannot be trained further; only "
        "models of networks can");
  }
  const TextCutter* const cutter =
      start == nullptr ? nullptr : start->data().cutter.get();
  LanguageModelTraining as_read = training;
  Corpus pieces, validation;
  if (cutter != nullptr) pieces = cutter->Cut(text);
  if (cutter != nullptr && training.validation != nullptr) {
    validation = cutter->Cut(*training.validation);
    as_read.validation = &validation;
  }
  std::unique_ptr<BiLanguageModel> model;
  FIRTH_ASSIGN_OR_RETURN(LanguageModelReport report,
                         TrainOn(cutter == nullptr ? text : pieces, as_read,
                                 hooks, checkpointing, &model));
  return TrainedLanguageModel{
      TextModel::Public(std::make_unique<NetworkModel>(std::move(model))),
      std::move(report)};
}

std::string ReportJson(const LanguageModelFacts& facts) {
  const LanguageModelReport& training = facts.training;
  OrderedJson validations = OrderedJson::array();
  for (const ValidationPoint& point : training.validations) {
    validations.push_back({{"tokens", point.tokens},
                           {"forward_loss", point.forward_loss},
                           {"backward_loss", point.backward_loss},
                           {"best", point.best}});
  }
  return DumpJson(
      OrderedJson{{"program", "firth"},
                  {"version", FIRTH_VERSION},
                  {"interrupted", training.interrupted},
                  {"stopped_early", training.stopped_early},
                  {"options", OrderedJson::parse(facts.options)},
                  {"corpus", OrderedJson::parse(ReportJson(facts.corpus))},
                  {"vocabulary", training.vocab_size},
                  {"unknown_tokens", training.unknown_tokens},
                  {"parameters", training.parameters},
                  {"tokens", training.tokens},
                  {"steps", training.steps},
                  {"threads", training.threads},
                  {"seconds", training.seconds},
                  {"tokens_per_second", training.tokens_per_second},
                  {"loss", training.losses},
                  {"validations", std::move(validations)}});
}

}  // namespace firth
