// The public interface of language models.

#include <cmath>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "corpus/held_out.h"
#include "corpus/token_stream.h"
#include "firth/language_model.h"
#include "firth/status_macros.h"
#include "lm/generator.h"
#include "lm/language_model.h"
#include "lm/language_model_body.h"
#include "lm/language_model_file.h"
#include "lm/language_model_learner.h"
#include "lm/masked.h"
#include "lm/pair_rows.h"
#include "lm/perplexity.h"
#include "lm/sentence_pairs.h"
#include "lm/training_setup.h"

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

// Checks that the model gives sentences probabilities, reading forward.
absl::Status CheckHasForwardSoftmax(BiLanguageModel& model) {
  const HeadKind head = model.options().head;
  if (head == HeadKind::kNone || head == HeadKind::kContinuous) {
    return absl::FailedPreconditionError(
        "this model has no probabilities of words; it only embeds tokens or "
        "predicts vectors");
  }
  if (IsMasked(model.options())) {
    return absl::FailedPreconditionError(
        "this model predicts masked words, not the next word; use \"firth lm "
        "fill\"");
  }
  if (!model.layers().reads(nn::Direction::kForward)) {
    return absl::FailedPreconditionError(
        "this model reads only backward; a model that reads forward is needed");
  }
  return absl::OkStatus();
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

absl::StatusOr<std::vector<GeneratedSentence>> GenerateSentences(
    BiLanguageModel& model, const GenerateOptions& options,
    const Hooks& hooks) {
  Generator generator(model, options);
  std::vector<GeneratedSentence> sentences;
  if (options.beam > 1) {
    FIRTH_ASSIGN_OR_RETURN(sentences, generator.Search(hooks));
    const auto count = static_cast<size_t>(options.count);
    if (sentences.size() > count) sentences.resize(count);
    return sentences;
  }
  for (int i = 0; i < options.count; ++i) {
    hooks.ReportWork(sentences.size(), static_cast<uint64_t>(options.count));
    FIRTH_ASSIGN_OR_RETURN(sentences.emplace_back(),
                           generator.Draw(CombineKeys(options.seed, i), hooks));
  }
  return sentences;
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
  if (LearnsPairs(training, (*trained)->options())) {
    FIRTH_RETURN_IF_ERROR(PairRows::Check(
        text, UnrollOf(training, (*trained)->options().layers)));
  }
  if (training.validation != nullptr) {
    FIRTH_RETURN_IF_ERROR(CheckHeldOutText(*training.validation, **trained));
  }
  LanguageModelLearner learner(training, text, trained->get());
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

void LanguageModel::Body::Prepare() {
  if (prepared) return;
  model->head()->PrepareAll();
  model->layers().ParametersStay();
  prepared = true;
}

LanguageModel::LanguageModel(std::unique_ptr<Body> body)
    : body_(std::move(body)) {}
LanguageModel::~LanguageModel() = default;
LanguageModel::LanguageModel(LanguageModel&&) noexcept = default;
LanguageModel& LanguageModel::operator=(LanguageModel&&) noexcept = default;

absl::StatusOr<LanguageModel> LanguageModel::Load(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(std::unique_ptr<BiLanguageModel> model,
                         LoadLanguageModel(path));
  return LanguageModel(std::make_unique<Body>(Body{std::move(model)}));
}

absl::Status LanguageModel::Save(const std::string& path) {
  return SaveLanguageModel(*body_->model, path);
}

std::map<std::string, std::string>& LanguageModel::metadata() {
  return body_->model->metadata();
}

absl::StatusOr<Perplexity> LanguageModel::Measure(const Corpus& text,
                                                  const MeasureOptions& options,
                                                  const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(CheckRead(text));
  if (body_->model->head() == nullptr) {
    return absl::FailedPreconditionError(
        "this model cannot predict words; like some imported models, it only "
        "embeds tokens");
  }
  const TextCutter* const cutter = body_->model->data().cutter.get();
  if (cutter == nullptr) {
    return WithFinitePerplexity(
        MeasurePerplexity(*body_->model, text, options, hooks));
  }
  return WithFinitePerplexity(
      MeasurePerplexity(*body_->model, cutter->Cut(text), options, hooks));
}

absl::StatusOr<std::vector<SentenceScore>> LanguageModel::Score(
    absl::Span<const Sentence> sentences, const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(CheckHasForwardSoftmax(*body_->model));
  body_->Prepare();
  const TextCutter* const cutter = body_->model->data().cutter.get();
  if (cutter == nullptr) return ScoreSentences(*body_->model, sentences, hooks);
  return ScoreSentences(*body_->model, cutter->Cut(sentences).pieces, hooks);
}

absl::StatusOr<std::vector<std::vector<WordProbability>>> LanguageModel::Fill(
    const Sentence& sentence, size_t count) {
  const LanguageModelOptions& options = body_->model->options();
  if (!IsMasked(options) || options.head == HeadKind::kNone ||
      options.head == HeadKind::kContinuous) {
    return absl::FailedPreconditionError(
        "this model does not predict masked words; \"firth lm train --predict "
        "masked\" trains models that do");
  }
  body_->Prepare();
  const TextCutter* const cutter = body_->model->data().cutter.get();
  if (cutter == nullptr) return FillSentence(*body_->model, sentence, count);
  const CutSentences cut = cutter->Cut({&sentence, 1});
  return FillSentence(*body_->model, cut.pieces[0], count);
}

absl::StatusOr<std::vector<double>> LanguageModel::NextSentence(
    absl::Span<const Pair> pairs, const Hooks& hooks) {
  BiLanguageModel& model = *body_->model;
  if (model.next_sentence() == nullptr) {
    return absl::FailedPreconditionError(
        "this model does not predict whether a sentence follows another; "
        "\"firth lm train --next-sentence\" trains models that do");
  }
  const TextCutter* const cutter = model.data().cutter.get();
  std::vector<Pair> read(pairs.begin(), pairs.end());
  for (auto& [first, second] : read) {
    if (cutter == nullptr) break;
    CutSentences cut = cutter->Cut(std::vector<Sentence>{first, second});
    first = std::move(cut.pieces[0]);
    second = std::move(cut.pieces[1]);
  }
  FIRTH_ASSIGN_OR_RETURN(const Matrix<float> scores,
                         ScorePairs(model, read, hooks));
  std::vector<double> probabilities;
  for (size_t i = 0; i < scores.rows(); ++i) {
    const auto difference =
        static_cast<double>(scores.Row(i)[1] - scores.Row(i)[0]);
    probabilities.push_back(1 / (1 + std::exp(difference)));
  }
  return probabilities;
}

absl::StatusOr<std::vector<GeneratedSentence>> LanguageModel::Generate(
    const GenerateOptions& options, const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  FIRTH_RETURN_IF_ERROR(CheckHasForwardSoftmax(*body_->model));
  body_->Prepare();
  const TextCutter* const cutter = body_->model->data().cutter.get();
  if (cutter == nullptr) {
    return GenerateSentences(*body_->model, options, hooks);
  }
  GenerateOptions of_pieces = options;
  const std::vector<Sentence> prompt = {
      Sentence(options.prompt.begin(), options.prompt.end())};
  const CutSentences cut = cutter->Cut(prompt);
  of_pieces.prompt =
      std::vector<std::string>(cut.pieces[0].begin(), cut.pieces[0].end());
  FIRTH_ASSIGN_OR_RETURN(std::vector<GeneratedSentence> sentences,
                         GenerateSentences(*body_->model, of_pieces, hooks));
  for (GeneratedSentence& sentence : sentences) {
    sentence.words = cutter->Join(sentence.words);
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
      LanguageModel(std::make_unique<LanguageModel::Body>(
          LanguageModel::Body{std::move(model)})),
      std::move(report)};
}

}  // namespace firth
