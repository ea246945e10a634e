// The public side of language models.

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check_range.h"
#include "base/rng.h"
#include "base/status_macros.h"
#include "corpus/held_out.h"
#include "corpus/token_stream.h"
#include "firth/language_model.h"
#include "lm/generator.h"
#include "lm/language_model.h"
#include "lm/language_model_body.h"
#include "lm/language_model_file.h"
#include "lm/language_model_learner.h"
#include "lm/perplexity.h"
#include "lm/training_setup.h"

namespace firth {
namespace {

absl::Status CheckName(absl::string_view option, absl::string_view name,
                       absl::Span<const absl::string_view> names) {
  if (std::find(names.begin(), names.end(), name) != names.end()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(option, ": expected ",
                                                 absl::StrJoin(names, " or "),
                                                 ", found \"", name, "\""));
}

absl::Status Validate(const CharacterOptions& options) {
  FIRTH_RETURN_IF_ERROR(CheckRange("char-dim", options.dim, 1, 1024));
  FIRTH_RETURN_IF_ERROR(
      CheckRange("max-characters", options.max_characters, 3, 1000));
  FIRTH_RETURN_IF_ERROR(CheckRange("highways", options.highways, 0, 100));
  if (options.filters.empty()) {
    return absl::InvalidArgumentError("char-filters: expected one or more");
  }
  for (const CharacterOptions::Filters& set : options.filters) {
    FIRTH_RETURN_IF_ERROR(
        CheckRange<size_t>("char-filters: width", set.width, 1,
                           static_cast<size_t>(options.max_characters)));
    FIRTH_RETURN_IF_ERROR(CheckRange<size_t>("char-filters: count", set.count,
                                             1, size_t{1} << 20));
  }
  return absl::OkStatus();
}

absl::Status ValidateInput(const LanguageModelTraining& training) {
  FIRTH_RETURN_IF_ERROR(Validate(training.characters));
  FIRTH_RETURN_IF_ERROR(training.vocabulary.Validate());
  FIRTH_RETURN_IF_ERROR(CheckRange("dim", training.dim, 0, 65536));
  if (training.vectors != nullptr && training.vectors->dim() == 0) {
    return absl::InvalidArgumentError("vectors: expected some, found none");
  }
  if (training.vectors == nullptr && training.head == "continuous") {
    return absl::InvalidArgumentError(
        "head: continuous predicts vectors, which must be given");
  }
  return absl::OkStatus();
}

absl::Status ValidateLayers(const LanguageModelTraining& training) {
  FIRTH_RETURN_IF_ERROR(CheckName("network", training.network, NetworkNames()));
  FIRTH_RETURN_IF_ERROR(CheckName("reads", training.reads, ReadingNames()));
  FIRTH_RETURN_IF_ERROR(CheckRange("window", training.window, 1, 1000));
  FIRTH_RETURN_IF_ERROR(CheckName("cell", training.cell, CellNames()));
  FIRTH_RETURN_IF_ERROR(CheckRange("units", training.units, 1, 65536));
  FIRTH_RETURN_IF_ERROR(
      CheckRange("projection", training.projection, 0, 65536));
  FIRTH_RETURN_IF_ERROR(CheckRange("layers", training.layers, 1, 100));
  FIRTH_RETURN_IF_ERROR(CheckRange("dropout", training.dropout, 0.0, 0.99));
  FIRTH_RETURN_IF_ERROR(CheckRange("cell-clip", training.cell_clip, 0.0, 1e9));
  FIRTH_RETURN_IF_ERROR(
      CheckRange("projection-clip", training.projection_clip, 0.0, 1e9));
  return CheckRange("forget-bias", training.forget_bias, -1e3, 1e3);
}

absl::Status ValidateRate(const LanguageModelTraining& training) {
  FIRTH_RETURN_IF_ERROR(
      CheckName("optimizer", training.optimizer, OptimizerNames()));
  FIRTH_RETURN_IF_ERROR(CheckName("decay", training.decay, DecayNames()));
  FIRTH_RETURN_IF_ERROR(
      CheckRange("learning-rate", training.learning_rate, 1e-12, 1e9));
  FIRTH_RETURN_IF_ERROR(CheckRange("min-learning-rate",
                                   training.min_learning_rate, 0.0,
                                   training.learning_rate));
  if (training.decay == "exponential" && training.min_learning_rate == 0) {
    return absl::InvalidArgumentError(
        "min-learning-rate: exponential decay needs one above 0");
  }
  FIRTH_RETURN_IF_ERROR(CheckRange("warmup", training.warmup, 0, 1 << 30));
  return CheckRange("clip-norm", training.clip_norm, 0.0, 1e9);
}

absl::Status CheckRead(const Corpus& text) {
  if (text.tokens != nullptr && text.tokens->num_words() > 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "expected a text with its tokens, found one that was only counted");
}

// <UNK> is predicted well by any model that has seen rare words.
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

}  // namespace

absl::Status LanguageModelTraining::Validate() const {
  FIRTH_RETURN_IF_ERROR(ValidateInput(*this));
  FIRTH_RETURN_IF_ERROR(CheckName("head", head, HeadNames()));
  FIRTH_RETURN_IF_ERROR(CheckRange("samples", samples, 1, 1 << 24));
  FIRTH_RETURN_IF_ERROR(CheckRange("correction-dim", correction_dim, 1, 65536));
  if (character_output && head != "softmax" && head != "sampled") {
    return absl::InvalidArgumentError(absl::StrCat(
        "head: expected softmax or sampled with char-output, found \"", head,
        "\""));
  }
  FIRTH_RETURN_IF_ERROR(ValidateLayers(*this));
  FIRTH_RETURN_IF_ERROR(CheckRange("batch", batch, 1, 65536));
  FIRTH_RETURN_IF_ERROR(CheckRange("unroll", unroll, 1, 10000));
  FIRTH_RETURN_IF_ERROR(CheckRange("epochs", epochs, 1e-6, 1e6));
  FIRTH_RETURN_IF_ERROR(ValidateRate(*this));
  FIRTH_RETURN_IF_ERROR(CheckRange("threads", threads, 0, 1024));
  return CheckRange("patience", patience, 0, 1 << 30);
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
        "expected a model that predicts words, found one that only embeds, as "
        "imported ones do");
  }
  return MeasurePerplexity(*body_->model, text, options, hooks);
}

absl::Status GenerateOptions::Validate() const {
  FIRTH_RETURN_IF_ERROR(CheckRange("temperature", temperature, 0.0, 100.0));
  FIRTH_RETURN_IF_ERROR(CheckRange("top-k", top_k, 0, 1 << 30));
  FIRTH_RETURN_IF_ERROR(CheckRange("beam", beam, 1, 1000));
  FIRTH_RETURN_IF_ERROR(
      CheckRange("length-normalization", length_normalization, 0.0, 10.0));
  FIRTH_RETURN_IF_ERROR(
      CheckRange("end-normalization", end_normalization, 0.0, 1000.0));
  FIRTH_RETURN_IF_ERROR(
      CheckRange("expected-length", expected_length, 1, 1 << 20));
  FIRTH_RETURN_IF_ERROR(CheckRange("max-tokens", max_tokens, 1, 1 << 20));
  FIRTH_RETURN_IF_ERROR(CheckRange("count", count, 1, 1 << 20));
  if (beam == 1 || temperature == 0) return absl::OkStatus();
  return absl::InvalidArgumentError("beam: expected temperature 0 beside it");
}

absl::StatusOr<std::vector<GeneratedSentence>> LanguageModel::Generate(
    const GenerateOptions& options) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  const HeadKind head = body_->model->options().head;
  if (head == HeadKind::kNone || head == HeadKind::kContinuous) {
    return absl::FailedPreconditionError(
        "expected a model with probabilities of words, found one that only "
        "embeds or predicts vectors");
  }
  if (!body_->model->layers().reads(nn::Direction::kForward)) {
    return absl::FailedPreconditionError(
        "expected a model that reads forward, found one that reads backward");
  }
  Generator generator(*body_->model, options);
  std::vector<GeneratedSentence> sentences;
  if (options.beam > 1) {
    sentences = generator.Search();
    const auto count = static_cast<size_t>(options.count);
    if (sentences.size() > count) sentences.resize(count);
    return sentences;
  }
  for (int i = 0; i < options.count; ++i) {
    sentences.push_back(generator.Draw(CombineKeys(options.seed, i)));
  }
  return sentences;
}

absl::StatusOr<TrainedLanguageModel> TrainLanguageModel(
    const Corpus& text, const LanguageModelTraining& training,
    const Hooks& hooks, const Checkpointing& checkpointing) {
  FIRTH_RETURN_IF_ERROR(training.Validate());
  FIRTH_RETURN_IF_ERROR(checkpointing.Validate());
  FIRTH_RETURN_IF_ERROR(CheckRead(text));
  if (training.validation != nullptr) {
    FIRTH_RETURN_IF_ERROR(CheckRead(*training.validation));
  }
  Checkpointing reserved = checkpointing;
  FIRTH_RETURN_IF_ERROR(ReserveCheckpoints(&reserved));
  FIRTH_ASSIGN_OR_RETURN(std::unique_ptr<BiLanguageModel> model,
                         MakeFirstModel(training, text));
  if (training.validation != nullptr) {
    FIRTH_RETURN_IF_ERROR(CheckHeldOutText(*training.validation, *model));
  }
  LanguageModelLearner learner(training, text, model.get());
  const RunOptions run_options{
      .hooks = hooks,
      .checkpointing = reserved,
      .patience = static_cast<uint64_t>(training.patience)};
  FIRTH_ASSIGN_OR_RETURN(const RunReport run,
                         Run(learner, run_options).Drive());
  return TrainedLanguageModel{
      LanguageModel(std::make_unique<LanguageModel::Body>(
          LanguageModel::Body{std::move(model)})),
      learner.Report(run)};
}

}  // namespace firth
