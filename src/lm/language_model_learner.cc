// The text is a fixed number of steps, however the epochs fall: the learning
// rate follows the steps, the mean losses the epochs. What is told of a
// validation and which one was best can be read off the list of them.

#include "lm/language_model_learner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/saturated.h"
#include "firth/status_macros.h"
#include "firth/thousands.h"
#include "lm/matrix_tensors.h"
#include "lm/perplexity.h"
#include "lm/training_setup.h"

namespace firth {
namespace {

using Json = nlohmann::json;

uint64_t StepsOf(const LanguageModelTraining& options, ChunkTrainer& trainer) {
  const double tokens =
      options.epochs * static_cast<double>(trainer.rows().tokens());
  const auto a_step = static_cast<double>(trainer.tokens_per_step());
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
  const auto steps = state.at("step").get<uint64_t>();
  const auto losses = state.at("losses").get<std::vector<double>>();
  const uint64_t rows = state.at("positions").size() / 2;
  const auto unroll = training.at("unroll").get<uint32_t>();
  // Which of the two it has is a matter of the kind of network.
  const char* const kind = training.contains("cell") ? "cell" : "network";
  std::vector<FileFact> facts = {
      {"layers", training.at("layers").get<uint64_t>()},
      {kind, training.at(kind).get<std::string>()},
      {"units", training.at("units").get<uint64_t>()},
      {"head", training.at("head").get<std::string>()},
      {"epochs", training.at("epochs").get<double>()},
      {"epochs_begun", uint64_t{losses.size()}},
      {"steps", steps},
      {"tokens_done", MultiplySaturated(steps, rows * unroll)},
      {"parameters", reader.num_floats()}};
  if (!losses.empty()) facts.push_back({"loss", losses.back()});
  return facts;
}

}  // namespace

LanguageModelLearner::LanguageModelLearner(const LanguageModelTraining& options,
                                           const Corpus& text,
                                           BiLanguageModel* model)
    : options_(options),
      text_(text),
      model_(*model),
      trainer_(options, OptimizerOf(options), text, model),
      learnt_(NotFrozen(model_.Parameters())),
      total_steps_(StepsOf(options, trainer_)),
      schedule_(ScheduleOf(options, total_steps_)) {
  // Of other heads the loss is of another kind.
  standing_.has_perplexity =
      options.head == HeadKind::kSoftmax || options.head == HeadKind::kSampled;
}

Json LanguageModelLearner::Identity() const {
  return ParseJson(Fingerprint(options_, text_));
}

absl::StatusOr<bool> LanguageModelLearner::Advance(RunControl& control) {
  do {
    standing_.learning_rate = rate_factor_ * schedule_.At(step_);
    FIRTH_ASSIGN_OR_RETURN(const double loss,
                           trainer_.Step(step_, standing_.learning_rate));
    ++step_;
    AddLoss(loss);
    control.Tell(standing_);
    if (IsTimeToMeasure()) return true;
  } while (!done() && !control.ShouldPause());
  return false;
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

// At the end, and when the step just done passed a multiple of so many tokens.
bool LanguageModelLearner::IsTimeToMeasure() const {
  if (options_.validation == nullptr) return false;
  const uint64_t every = options_.validate_every > 0 ? options_.validate_every
                                                     : trainer_.rows().tokens();
  return done() || TokensAt(step_) / every != TokensAt(step_ - 1) / every;
}

// Not interrupted: else the training could not go on as it would have.
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

std::vector<NamedTensor> LanguageModelLearner::Learnt() {
  std::vector<NamedTensor> tensors;
  for (nn::Parameter<float>* parameter : learnt_) {
    tensors.push_back(TensorOf(parameter->name, parameter->value));
  }
  return tensors;
}

std::vector<NamedTensor> LanguageModelLearner::Others() {
  std::vector<NamedTensor> tensors;
  for (const auto& slot : trainer_.optimizer().Slots()) {
    tensors.push_back(TensorOf(slot.name, *slot.values));
  }
  for (const Direction direction : model_.layers().directions()) {
    for (auto& part : trainer_.state(direction).parts()) {
      tensors.push_back(TensorOf(
          absl::StrCat("state.", nn::DirectionName(direction), ".", part.name),
          part.values));
    }
  }
  return tensors;
}

Json LanguageModelLearner::State() const {
  Json validations = Json::array();
  for (const ValidationPoint& point : validations_) {
    validations.push_back({point.tokens, JsonOfNumber(point.forward_loss),
                           JsonOfNumber(point.backward_loss), point.best});
  }
  return {{"step", step_},
          {"optimizer_steps", trainer_.optimizer().steps()},
          {"positions", trainer_.rows().Positions()},
          {"losses", losses_},
          {"epoch_steps", epoch_steps_},
          {"validations", validations}};
}

absl::Status LanguageModelLearner::SetState(const Json& state) {
  step_ = state.at("step").get<uint64_t>();
  trainer_.optimizer().set_steps(state.at("optimizer_steps").get<uint64_t>());
  losses_ = state.at("losses").get<std::vector<double>>();
  epoch_steps_ = state.at("epoch_steps").get<uint64_t>();
  validations_.clear();
  for (const Json& point : state.at("validations")) {
    validations_.push_back(
        {point.at(0).get<uint64_t>(), NumberOfJson(point.at(1)),
         NumberOfJson(point.at(2)), point.at(3).get<bool>()});
  }
  standing_.loss = standing_.examples = 0;
  const auto positions = state.at("positions").get<std::vector<uint64_t>>();
  if (step_ <= total_steps_ && trainer_.rows().SetPositions(positions)) {
    return absl::OkStatus();
  }
  return absl::DataLossError(
      "state: expected steps and positions of this text, found others");
}

LanguageModelReport LanguageModelLearner::Report(const RunReport& run) const {
  LanguageModelReport report;
  report.vocab_size = model_.data().words.size();
  report.unknown_tokens = trainer_.unknown_tokens();
  for (const nn::Parameter<float>* parameter : learnt_) {
    report.parameters += parameter->value.size();
  }
  report.tokens = position();
  report.steps = step_;
  report.losses = losses_;
  report.seconds = run.seconds;
  report.tokens_per_second =
      static_cast<double>(position() - run.first_position) /
      std::max(run.seconds, 1e-9);
  report.threads = DirectionThreads(options_.threads);
  report.validations = validations_;
  report.stopped_early = run.stopped_early;
  report.interrupted = run.interrupted;
  return report;
}

absl::StatusOr<std::optional<FileInfo>> DescribeLanguageModelCheckpoint(
    const MappedFilePtr& file) {
  return DescribeCheckpointOf("a language model", file, FactsOf);
}

}  // namespace firth
