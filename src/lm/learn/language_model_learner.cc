// The text is a fixed number of steps, which need not end where epochs end. The
// learning rate depends on the step, and mean losses are per epoch. The list of
// validations determines which of them was best and what is printed about them.

#include "lm/learn/language_model_learner.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/saturated.h"
#include "base/team.h"
#include "base/threads.h"
#include "corpus/held_out.h"
#include "corpus/token_stream.h"
#include "firth/status_macros.h"
#include "firth/thousands.h"
#include "firth/vector_training.h"
#include "lm/learn/training_setup.h"
#include "lm/model/matrix_tensors.h"
#include "lm/read/network_model.h"
#include "lm/read/perplexity.h"
#include "nn/elementwise.h"

namespace firth {

// The JSON library finds these functions by name.
static void to_json(Json& json, const ValidationPoint& point) {
  json = {point.tokens, JsonOfNumber(point.forward_loss),
          JsonOfNumber(point.backward_loss), point.best};
}
static void from_json(const Json& json, ValidationPoint& point) {
  point = {CountAt(json, 0), NumberOfJson(json.at(1)), NumberOfJson(json.at(2)),
           json.at(3).get<bool>()};
}

namespace {

constexpr char kName[] = "a language model";

uint64_t StepsOf(const LanguageModelTraining& options, const TextTask& task) {
  const double tokens = options.epochs * static_cast<double>(task.tokens());
  const auto a_step = static_cast<double>(task.tokens_per_step());
  return std::max<uint64_t>(1,
                            static_cast<uint64_t>(std::ceil(tokens / a_step)));
}

nn::ParameterList<float> NotFrozen(nn::ParameterList<float> all) {
  all.erase(
      std::remove_if(all.begin(), all.end(),
                     [](const auto* parameter) { return parameter->frozen; }),
      all.end());
  return all;
}

absl::StatusOr<std::vector<FileFact>> FactsOf(const CheckedReader& reader,
                                              const Json& training,
                                              const Json& state) {
  const uint64_t steps = CountAt(state, "step");
  const auto losses = state.at("losses").get<std::vector<double>>();
  const uint64_t rows = state.at("positions").size() / 2;
  // A recurrent network is described by its cell, any other by its kind.
  const char* const kind = training.contains("cell") ? "cell" : "network";
  std::vector<FileFact> facts = {
      {"layers", CountAt(training, "layers")},
      {kind, training.at(kind).get<std::string>()},
      {"units", CountAt(training, "units")},
      {"head", training.at("head").get<std::string>()},
      {"epochs", training.at("epochs").get<double>()},
      {"epochs_begun", uint64_t{losses.size()}},
      {"steps", steps},
      {"tokens_done",
       MultiplySaturated(steps,
                         MultiplySaturated(rows, CountAt(training, "unroll")))},
      {"parameters", reader.num_floats()}};
  if (!losses.empty()) facts.push_back({"loss", losses.back()});
  return facts;
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

LanguageModelLearner::LanguageModelLearner(const LanguageModelTraining& options,
                                           const Corpus& text,
                                           BiLanguageModel* model,
                                           std::unique_ptr<TextTask> task)
    : Learner(kName, TableFor<LanguageModelTraining>()),
      options_(options),
      text_(text),
      model_(*model),
      task_(std::move(task)),
      parameters_(model->Parameters()),
      learned_(NotFrozen(parameters_)),
      optimizer_(OptimizerOf(options), parameters_),
      words_(*model, task_->words()),
      total_steps_(StepsOf(options, *task_)),
      schedule_(ScheduleOf(options, total_steps_)) {
  // The losses of other heads are not logarithms of probabilities.
  standing_.has_perplexity = (options.head == HeadKind::kSoftmax ||
                              options.head == HeadKind::kSampled) &&
                             task_->has_only_words();
}

Json LanguageModelLearner::Identity() const {
  return ParseJson(Fingerprint(options_, text_));
}

absl::StatusOr<bool> LanguageModelLearner::Advance(RunControl& control) {
  do {
    standing_.learning_rate = rate_factor_ * schedule_.At(step_);
    FIRTH_ASSIGN_OR_RETURN(const double loss, Step());
    ++step_;
    AddLoss(loss);
    FIRTH_RETURN_IF_ERROR(CheckLearns(loss));
    control.Tell(standing_);
    if (IsTimeToMeasure()) return true;
  } while (!done() && !control.ShouldPause());
  return false;
}

absl::StatusOr<double> LanguageModelLearner::Step() {
  absl::StatusOr<double> loss;
  RunTeam(NumThreads(options_.threads), [&] { loss = StepOfTeam(); });
  return loss;
}

absl::StatusOr<double> LanguageModelLearner::StepOfTeam() {
  const uint64_t key = CombineKeys(options_.seed, step_);
  words_.Clear();
  task_->Read(key, &words_);
  std::vector<uint32_t> targets;
  for (const TextTask::Side& side : task_->sides()) {
    targets.insert(targets.end(), side.targets.words.begin(),
                   side.targets.words.end());
  }
  if (targets.empty()) return 0.0;  // no words that could be hidden
  model_.head()->Prepare(targets, CombineKeys(key, 0));
  task_->Run(model_.encoder().Forward(words_.batch()), key);
  for (const TextTask::Side& side : task_->sides()) {
    if (!std::isfinite(side.loss)) {
      return NotFinite("the loss of a direction", side.loss);
    }
  }
  model_.head()->GatherGradients(task_->works());
  EncoderBackward();
  const double norm = nn::ClipGlobalNorm(
      options_.clip_norm > 0 ? options_.clip_norm
                             : std::numeric_limits<double>::infinity(),
      parameters_);
  if (!std::isfinite(norm)) return NotFinite("the norm of the gradient", norm);
  optimizer_.Step(standing_.learning_rate);
  return task_->Loss();
}

void LanguageModelLearner::EncoderBackward() {
  nn::TokenEncoder<float>& encoder = model_.encoder();
  if (!encoder.learns()) return;
  const size_t dim = encoder.output_dim();
  d_words_.Resize(words_.size(), dim);
  nn::SetZero(d_words_.view());
  for (const TextTask::Side& side : task_->sides()) {
    const size_t rows = side.word_of_row.size();
    nn::ForColumns(rows, dim, [&](size_t begin, size_t end) {
      for (size_t row = 0; row < rows; ++row) {
        nn::AddScaled(end - begin, 1.0f, side.d_inputs.Row(row) + begin,
                      d_words_.Row(side.word_of_row[row]) + begin);
      }
    });
  }
  encoder.Backward(words_.batch(), d_words_.view());
}

absl::Status LanguageModelLearner::NotFinite(absl::string_view what,
                                             double found) {
  for (nn::Parameter<float>* parameter : parameters_) {
    parameter->gradient.Clear();
  }
  for (nn::HeadWork<float>& work : task_->works()) work = {};
  return absl::OutOfRangeError(absl::StrCat(
      "step ", step_, ": ", what, " is ", found,
      "; use a lower learning rate, a lower clip norm or clipped cells"));
}

void LanguageModelLearner::AddLoss(double loss) {
  if (Epoch() >= losses_.size()) {
    losses_.push_back(0);
    epoch_steps_ = 0;
  }
  double& mean = losses_.back();
  mean += (loss - mean) / static_cast<double>(++epoch_steps_);
  standing_.epoch = static_cast<int>(Epoch());
  standing_.loss += loss;
  ++standing_.examples;
}

// Detects numbers that are finite but useless. This is checked only at the end
// of an epoch, because the loss may rise and fall again within one.
absl::Status LanguageModelLearner::CheckLearns(double loss) const {
  constexpr double kHopeless = 10;  // times the loss of equally likely words
  const double alike =
      std::log(static_cast<double>(model_.data().words.size()));
  const bool epoch_ends =
      done() || Epoch() != TokensAt(step_) / task_->tokens();
  if (!standing_.has_perplexity || !epoch_ends || loss <= kHopeless * alike) {
    return absl::OkStatus();
  }
  return absl::OutOfRangeError(absl::StrFormat(
      "step %d: the loss is %.4g nats, but only %.4g nats if all words are "
      "equally likely; use a lower learning rate or clip norm",
      step_ - 1, loss, alike));
}

std::string LanguageModelLearner::Shortage() const {
  const uint64_t a_step = task_->tokens_per_step();
  if (task_->tokens() >= a_step) return "";
  return absl::StrCat(
      "the text has ", Thousands(task_->tokens()), " tokens and a step reads ",
      Thousands(a_step), ", so all epochs together have only ",
      Thousands(total_steps_), total_steps_ == 1 ? " step" : " steps",
      "; a smaller batch or unroll gives more steps");
}

// Returns true at the end, and if the last step passed a multiple of `every`.
bool LanguageModelLearner::IsTimeToMeasure() const {
  if (options_.validation == nullptr) return false;
  const uint64_t every =
      options_.validate_every > 0 ? options_.validate_every : task_->tokens();
  return done() || TokensAt(step_) / every != TokensAt(step_ - 1) / every;
}

// Cannot be interrupted, because a resumed training run would then differ.
absl::StatusOr<std::string> LanguageModelLearner::Measure() {
  FIRTH_ASSIGN_OR_RETURN(const Perplexity measured,
                         MeasurePerplexity(model_, *options_.validation,
                                           {.threads = options_.threads}, {}));
  validations_.push_back(
      {TokensAt(step_), measured.forward.loss, measured.backward.loss, false});
  validations_.back().best = BestOf(Scores()) == validations_.size();
  return absl::StrCat("  valid    after ", Thousands(TokensAt(step_)),
                      " tokens: ", ShownPerplexity(measured));
}

std::vector<std::optional<double>> LanguageModelLearner::Scores() const {
  const auto directions =
      static_cast<double>(model_.layers().directions().size());
  std::vector<std::optional<double>> scores;
  for (const ValidationPoint& point : validations_) {
    scores.push_back(-(point.forward_loss + point.backward_loss) / directions);
  }
  return scores;
}

std::vector<NamedTensor> LanguageModelLearner::Learned() {
  return TensorsOf(learned_);
}

std::vector<NamedTensor> LanguageModelLearner::Others() {
  std::vector<NamedTensor> tensors = TensorsOf(optimizer_);
  for (const Direction direction : model_.layers().directions()) {
    const auto side = static_cast<size_t>(direction);
    if (side >= task_->sides().size()) continue;
    for (auto& part : task_->sides()[side].state.parts()) {
      tensors.push_back(TensorOf(
          absl::StrCat("state.", nn::DirectionName(direction), ".", part.name),
          part.values));
    }
  }
  return tensors;
}

Json LanguageModelLearner::State() const {
  return {{"step", step_},
          {"optimizer_steps", optimizer_.steps()},
          {"positions", task_->Positions()},
          {"losses", losses_},
          {"epoch_steps", epoch_steps_},
          {"validations", validations_}};
}

absl::Status LanguageModelLearner::SetState(const Json& state) {
  step_ = CountAt(state, "step", total_steps_);
  optimizer_.set_steps(CountAt(state, "optimizer_steps", step_));
  losses_ = state.at("losses").get<std::vector<double>>();
  epoch_steps_ = CountAt(state, "epoch_steps", step_);
  state.at("validations").get_to(validations_);
  standing_.loss = standing_.examples = 0;
  std::vector<uint64_t> positions;
  for (size_t i = 0; i < state.at("positions").size(); ++i) {
    positions.push_back(CountAt(state["positions"], i));
  }
  if (task_->SetPositions(positions)) return absl::OkStatus();
  return absl::DataLossError("state: the positions are not within this text");
}

LanguageModelReport LanguageModelLearner::Report(const RunReport& run) const {
  LanguageModelReport report;
  report.vocab_size = model_.data().words.size();
  for (size_t i = 0; i < text_.vocabulary.size(); ++i) {
    if (task_->words()[task_->words().FirstWord() + i].target == kUnknownId) {
      report.unknown_tokens += text_.vocabulary.Count(ToWordId(i));
    }
  }
  for (const nn::Parameter<float>* parameter : learned_) {
    report.parameters += parameter->value.size();
  }
  report.tokens = position();
  report.epoch_tokens = task_->tokens();
  report.steps = step_;
  report.losses = losses_;
  report.seconds = run.seconds;
  report.tokens_per_second =
      static_cast<double>(position() - run.first_position) /
      std::max(run.seconds, 1e-9);
  report.threads = NumThreads(options_.threads);
  report.validations = validations_;
  report.stopped_early = run.stopped_early;
  report.interrupted = run.interrupted;
  return report;
}

absl::StatusOr<std::optional<FileInfo>> DescribeLanguageModelCheckpoint(
    const MappedFilePtr& file) {
  return DescribeCheckpointOf(kName, file, FactsOf);
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
  ChooseOptions(text, &as_read);
  FIRTH_RETURN_IF_ERROR(as_read.Validate());
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
                  {"epoch_tokens", training.epoch_tokens},
                  {"steps", training.steps},
                  {"threads", training.threads},
                  {"seconds", training.seconds},
                  {"tokens_per_second", training.tokens_per_second},
                  {"loss", training.losses},
                  {"validations", std::move(validations)}});
}

}  // namespace firth
