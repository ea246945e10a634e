#include "lm/training_loop.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/file_lock.h"
#include "base/json.h"
#include "base/saturated.h"
#include "base/status_macros.h"
#include "base/temporary_files.h"
#include "firth/thousands.h"
#include "lm/matrix_tensors.h"
#include "lm/perplexity.h"
#include "lm/training_setup.h"

namespace firth {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr char kKind[] = "language_model_checkpoint";
constexpr std::chrono::milliseconds kTellEvery(200);

bool Take(const Json& json, uint64_t* number) {
  if (!json.is_number_unsigned()) return false;
  *number = json.get<uint64_t>();
  return true;
}
bool Take(const Json& json, double* number) {
  if (!json.is_number()) return false;
  *number = json.get<double>();
  return true;
}
bool Take(const Json& json, ValidationPoint* point) {
  if (!json.is_array() || json.size() != 4 || !json[3].is_boolean()) {
    return false;
  }
  point->best = json[3].get<bool>();
  return Take(json[0], &point->tokens) && Take(json[1], &point->forward_loss) &&
         Take(json[2], &point->backward_loss);
}
template <class Value>
bool Take(const Json& json, std::vector<Value>* values) {
  if (!json.is_array()) return false;
  values->clear();
  return std::all_of(json.begin(), json.end(), [&](const Json& value) {
    return Take(value, &values->emplace_back());
  });
}
template <class Value>
bool Take(const Json& object, const char* key, Value* value) {
  const auto found = object.find(key);
  return found != object.end() && Take(*found, value);
}

absl::StatusOr<CheckedReader> OpenCheckpoint(const std::string& path) {
  return CheckedReader::Open(path, kKind, "a checkpoint of a language model");
}

// The file itself, whatever links lead to it: its lock must have one name.
fs::path WithoutLinks(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? fs::path(path) : whole;
}

absl::Status CheckNoFile(const std::string& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::not_found) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": expected no file of that name, found ",
      type == fs::file_type::none ? error.message() : "one",
      "; resume goes on from it, if it is a checkpoint; else choose another "
      "name, or remove it"));
}

}  // namespace

absl::Status ReserveCheckpoint(LanguageModelTraining* training) {
  const std::string& path = training->checkpoint;
  if (path.empty() || training->checkpoint_lock != nullptr) {
    return absl::OkStatus();
  }
  const fs::path file = WithoutLinks(path);
  FIRTH_ASSIGN_OR_RETURN(std::shared_ptr<const FileLock> lock,
                         FileLock::Take(file.string() + ".lock", path));
  FIRTH_RETURN_IF_ERROR(training->resume ? OpenCheckpoint(path).status()
                                         : CheckNoFile(path));
  RemoveHalfWritten(file.parent_path().string(), [&](absl::string_view name) {
    return name == file.filename().string();
  });
  training->checkpoint_lock = std::move(lock);
  return absl::OkStatus();
}

TrainingLoop::TrainingLoop(const LanguageModelTraining& options,
                           const Corpus& text, const Hooks& hooks,
                           BiLanguageModel* model)
    : options_(options),
      hooks_(hooks),
      model_(*model),
      trainer_(options, OptimizerOf(options), text, model),
      fingerprint_(Fingerprint(options, text)) {
  const double tokens =
      options.epochs * static_cast<double>(trainer_.rows().tokens());
  const auto a_step = static_cast<double>(trainer_.tokens_per_step());
  total_steps_ =
      std::max<uint64_t>(1, static_cast<uint64_t>(std::ceil(tokens / a_step)));
  for (nn::Parameter<float>* parameter : model_.Parameters()) {
    if (parameter->frozen) continue;
    learnt_.push_back(parameter);
    report_.parameters += parameter->value.size();
  }
  best_.resize(learnt_.size());
  report_.vocab_size = model_.data().words.size();
  report_.unknown_tokens = trainer_.unknown_tokens();
  report_.threads = DirectionThreads(options.threads);
}

absl::Status TrainingLoop::Run() {
  if (options_.resume) FIRTH_RETURN_IF_ERROR(Resume());
  const Clock::time_point start = Clock::now();
  first_step_ = step_;
  const nn::Schedule schedule = ScheduleOf(options_, total_steps_);
  while (step_ < total_steps_ && !report_.stopped_early) {
    if (hooks_.StopRequested()) {
      report_.interrupted = true;
      break;
    }
    const double learning_rate = schedule.At(step_);
    FIRTH_ASSIGN_OR_RETURN(const double loss,
                           trainer_.Step(step_, learning_rate));
    ++step_;
    AddLoss(loss);
    Tell(start, learning_rate);
    FIRTH_RETURN_IF_ERROR(ValidateIfDue());
    if (IsDue(options_.checkpoint_every)) SaveCheckpoint();
  }
  SaveCheckpoint();
  RestoreBest();
  report_.steps = step_;
  report_.tokens = TokensAt(step_);
  report_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  report_.tokens_per_second =
      static_cast<double>(TokensAt(step_ - first_step_)) /
      std::max(report_.seconds, 1e-9);
  return absl::OkStatus();
}

void TrainingLoop::AddLoss(double loss) {
  if (Epoch() >= report_.losses.size()) {
    report_.losses.push_back(0);
    epoch_steps_ = 0;
  }
  double& mean = report_.losses.back();
  mean += (loss - mean) / static_cast<double>(++epoch_steps_);
  told_loss_ += loss;
  ++told_steps_;
}

void TrainingLoop::Tell(Clock::time_point start, double learning_rate) {
  const Clock::time_point now = Clock::now();
  if (hooks_.progress == nullptr || now - last_told_ < kTellEvery) return;
  last_told_ = now;
  const double seconds = std::chrono::duration<double>(now - start).count();
  const auto steps = static_cast<double>(step_ - first_step_);
  TrainProgress progress;
  progress.fraction =
      static_cast<double>(step_) / static_cast<double>(total_steps_);
  progress.epoch = static_cast<int>(Epoch());
  progress.words_per_second =
      steps * static_cast<double>(trainer_.tokens_per_step()) / seconds;
  progress.loss = told_loss_ / static_cast<double>(told_steps_);
  progress.learning_rate = learning_rate;
  progress.seconds_left =
      seconds / steps * static_cast<double>(total_steps_ - step_);
  // Of other heads the loss is of another kind.
  if (options_.head == "softmax" || options_.head == "sampled") {
    progress.perplexity = std::exp(progress.loss);
  }
  told_loss_ = 0;
  told_steps_ = 0;
  hooks_.progress->OnTrain(progress);
}

absl::Status TrainingLoop::ValidateIfDue() {
  const uint64_t every = options_.validate_every > 0 ? options_.validate_every
                                                     : trainer_.rows().tokens();
  if (options_.validation == nullptr ||
      (!IsDue(every) && step_ < total_steps_)) {
    return absl::OkStatus();
  }
  // Not interrupted: else the training could not go on as it would have.
  FIRTH_ASSIGN_OR_RETURN(const Perplexity measured,
                         MeasurePerplexity(model_, *options_.validation,
                                           {.threads = options_.threads}, {}));
  AddValidation(measured);
  return absl::OkStatus();
}

void TrainingLoop::AddValidation(const Perplexity& measured) {
  const bool best = measured.loss() < best_loss_;
  report_.validations.push_back(
      {TokensAt(step_), measured.forward.loss, measured.backward.loss, best});
  if (best) {
    best_loss_ = measured.loss();
    without_better_ = 0;
    KeepBest();
  } else {
    ++without_better_;
    report_.stopped_early =
        options_.patience > 0 && without_better_ >= options_.patience;
  }
  if (hooks_.progress == nullptr) return;
  hooks_.progress->OnMilestone(absl::StrCat(
      "  valid    after ", Thousands(TokensAt(step_)),
      " tokens: ", ShownPerplexity(measured), best ? ", best" : ""));
}

void TrainingLoop::KeepBest() {
  for (size_t p = 0; p < learnt_.size(); ++p) {
    const Matrix<float>& value = learnt_[p]->value;
    best_[p].Resize(value.rows(), value.cols());
    nn::Copy<float>(value.view(), best_[p].view());
  }
}

void TrainingLoop::RestoreBest() {
  for (size_t p = 0; p < learnt_.size() && has_best(); ++p) {
    nn::Copy<float>(best_[p].view(), learnt_[p]->value.view());
  }
}

std::vector<TrainingLoop::Named> TrainingLoop::Matrices() {
  std::vector<Named> all;
  if (has_best()) {
    if (best_[0].size() == 0) KeepBest();  // for their shapes
    for (size_t p = 0; p < learnt_.size(); ++p) {
      all.push_back({absl::StrCat("best.", learnt_[p]->name), &best_[p]});
    }
  }
  for (nn::Parameter<float>* parameter : learnt_) {
    all.push_back({parameter->name, &parameter->value});
  }
  for (const auto& slot : trainer_.optimizer().Slots()) {
    all.push_back({slot.name, slot.values});
  }
  for (const Direction direction : model_.layers().directions()) {
    for (auto& part : trainer_.state(direction).parts()) {
      all.push_back(
          {absl::StrCat("state.", nn::DirectionName(direction), ".", part.name),
           &part.values});
    }
  }
  return all;
}

void TrainingLoop::SaveCheckpoint() {
  if (options_.checkpoint.empty()) return;
  const absl::Status status = WriteCheckpoint();
  if (status.ok() || hooks_.progress == nullptr) return;
  hooks_.progress->OnWarning(
      absl::StrCat("this checkpoint could not be written: ", status.message()));
}

absl::Status TrainingLoop::WriteCheckpoint() {
  Json validations = Json::array();
  for (const ValidationPoint& point : report_.validations) {
    validations.push_back(
        {point.tokens, point.forward_loss, point.backward_loss, point.best});
  }
  const Json content = {{"options", ParseJson(fingerprint_)},
                        {"step", step_},
                        {"optimizer_steps", trainer_.optimizer().steps()},
                        {"positions", trainer_.rows().Positions()},
                        {"losses", report_.losses},
                        {"epoch_steps", epoch_steps_},
                        {"validations", validations}};
  CheckedWriter writer;
  const std::vector<Named> all = Matrices();
  for (const Named& named : all) {
    writer.Add(named.name, FloatTable(named.matrix->view()));
  }
  return std::move(writer).Write({}, kKind, DumpJson(content),
                                 options_.checkpoint);
}

absl::Status TrainingLoop::Resume() {
  FIRTH_ASSIGN_OR_RETURN(const CheckedReader reader,
                         OpenCheckpoint(options_.checkpoint));
  const Json content = ParseJson(reader.content());
  if (content.is_object() && content.contains("options")) {
    FIRTH_RETURN_IF_ERROR(CheckSameOptions(content["options"]));
  }
  if (!TakeContent(content)) {
    return absl::DataLossError(
        absl::StrCat(options_.checkpoint, ": metadata \"", kKind,
                     "\": expected what such a training writes"));
  }
  for (const Named& named : Matrices()) {
    FIRTH_RETURN_IF_ERROR(ReadMatrix(reader, named.name, named.matrix));
  }
  return absl::OkStatus();
}

absl::Status TrainingLoop::CheckSameOptions(const Json& before) const {
  const Json now = ParseJson(fingerprint_);
  Json names = now;
  names.update(before.is_object() ? before : Json::object());
  for (const auto& [name, unused] : names.items()) {
    const Json was = before.value(name, Json());
    const Json is = now.value(name, Json());
    if (was == is) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        options_.checkpoint, ": expected ", name, " ", DumpJson(was),
        ", with which it was written, found ", DumpJson(is)));
  }
  return absl::OkStatus();
}

bool TrainingLoop::TakeContent(const Json& content) {
  uint64_t optimizer_steps = 0;
  std::vector<uint64_t> positions;
  if (!content.is_object() || !Take(content, "step", &step_) ||
      !Take(content, "optimizer_steps", &optimizer_steps) ||
      !Take(content, "positions", &positions) ||
      !Take(content, "losses", &report_.losses) ||
      !Take(content, "epoch_steps", &epoch_steps_) ||
      !Take(content, "validations", &report_.validations) ||
      step_ > total_steps_ || !trainer_.rows().SetPositions(positions)) {
    return false;
  }
  trainer_.optimizer().set_steps(optimizer_steps);
  for (const ValidationPoint& point : report_.validations) {
    without_better_ = point.best ? 0 : without_better_ + 1;
    if (!point.best) continue;
    best_loss_ = (point.forward_loss + point.backward_loss) /
                 static_cast<double>(model_.layers().directions().size());
  }
  report_.stopped_early =
      options_.patience > 0 && without_better_ >= options_.patience;
  return true;
}

absl::StatusOr<std::optional<FileInfo>> DescribeLanguageModelCheckpoint(
    const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(const auto reader,
                         CheckedReader::OpenIfKind(file, kKind));
  if (!reader.has_value()) return std::nullopt;
  const Json content = reader->ContentJson();
  try {
    const Json& options = content.at("options");
    const auto steps = content.at("step").get<uint64_t>();
    const auto losses = content.at("losses").get<std::vector<double>>();
    const uint64_t rows = content.at("positions").size() / 2;
    FileInfo info;
    info.kind = "checkpoint of a language model";
    info.facts = {
        {"layers", options.at("layers").get<uint64_t>()},
        {"cell", options.at("cell").get<std::string>()},
        {"units", options.at("units").get<uint64_t>()},
        {"head", options.at("head").get<std::string>()},
        {"epochs", options.at("epochs").get<double>()},
        {"epochs_begun", uint64_t{losses.size()}},
        {"steps", steps},
        {"tokens_done",
         MultiplySaturated(steps, rows * options.at("unroll").get<uint32_t>())},
        {"parameters", reader->num_floats()}};
    if (!losses.empty()) info.facts.push_back({"loss", losses.back()});
    info.options = DumpJson(options);
    info.metadata = reader->Metadata();
    return info;
  } catch (const Json::exception& error) {
    return absl::DataLossError(absl::StrCat(file->path(), ": metadata \"",
                                            kKind, "\": ", error.what()));
  }
}

}  // namespace firth
