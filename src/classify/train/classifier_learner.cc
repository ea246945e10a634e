// Threads take pieces of an epoch's texts, in random order, from a queue, and
// update shared tables. A thread keeps nothing between two pieces, so training
// can stop there and resume.

#include "classify/train/classifier_learner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <tuple>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/fields_json.h"
#include "base/json.h"
#include "base/parallel_exceptions.h"
#include "base/rng.h"
#include "base/threads.h"
#include "classify/model/text_context.h"
#include "firth/status_macros.h"
#include "lm/learn/drawn_batches.h"
#include "run/checkpoints.h"

namespace firth {

// The JSON library finds these functions by their names.
static void to_json(Json& json, const ClassifierEpoch& epoch) {
  json = {{"loss", epoch.loss}, {"seconds", epoch.seconds}};
  if (epoch.score.has_value()) json["score"] = *epoch.score;
}
static void from_json(const Json& json, ClassifierEpoch& epoch) {
  json.at("loss").get_to(epoch.loss);
  json.at("seconds").get_to(epoch.seconds);
  if (json.contains("score")) epoch.score = json.at("score").get<double>();
}

namespace {

using LearnerClock = std::chrono::steady_clock;

constexpr char kLearnerName[] = "a classifier";

// Number of texts that a thread takes at a time.
constexpr size_t kPieceTexts = 16;

double SecondsSince(LearnerClock::time_point start) {
  return std::chrono::duration<double>(LearnerClock::now() - start).count();
}

absl::StatusOr<std::vector<FileFact>> FactsOf(const CheckedReader& reader,
                                              const Json& training,
                                              const Json& state) {
  std::vector<FileFact> facts = {
      {"parts", training.at("parts").get<std::string>()},
      {"loss", training.at("loss").get<std::string>()},
      {"epochs", CountAt(training, "epochs")},
      {"phase", CountAt(state, "phase")},
      {"epochs_done", CountAt(state, "epoch")},
      {"texts_done", CountAt(state, "text")},
      {"tokens_done", CountAt(state, "tokens")},
      {"parameters", reader.num_floats()}};
  return facts;
}

}  // namespace

ClassifierLearner::ClassifierLearner(const ClassifierTask& task,
                                     ClassifierReport* report)
    : Learner(kLearnerName, TableFor<ClassifierOptions>()),
      task_(task),
      options_(task.options),
      report_(*report),
      threads_(NumThreads(task.options.threads)),
      phases_(PlanPhases(options_, task.train.bags.tokens, !measures())),
      tables_(task_),
      parts_(tables_.Parts()) {
  size_t held_out = 0;
  for (const TrainingPhase& phase : phases_) held_out += phase.held_out.size();
  held_out_ = tables_.ZeroScores(held_out);
}

Json ClassifierLearner::Identity() const {
  Json identity = IdentityOf(options_);
  identity.update(task_.sources);
  return identity;
}

uint64_t ClassifierLearner::total() const {
  uint64_t tokens = 0;
  for (const TrainingPhase& phase : phases_) {
    tokens += phase.tokens * options_.epochs;
  }
  return tokens;
}

uint64_t ClassifierLearner::OrderKey(uint64_t epoch) const {
  return CombineKeys(CombineKeys(options_.seed, 13 + phase_), epoch);
}

uint64_t ClassifierLearner::StepKey(uint64_t example) const {
  return CombineKeys(CombineKeys(options_.seed, 14 + phase_), example);
}

double ClassifierLearner::RateAt(uint64_t example) const {
  const auto all = static_cast<double>(phase().train.size() * options_.epochs);
  const double at = static_cast<double>(example) / all;
  return rate_factor_ * options_.learning_rate * (1 - at);
}

bool ClassifierLearner::RunPiece(absl::Span<const uint32_t> order, size_t part,
                                 ClassifierTables::Room* room) {
  Progress& progress = progress_[part];
  const size_t begin =
      progress.texts.fetch_add(kPieceTexts, std::memory_order_relaxed);
  if (begin >= order.size()) return false;
  const size_t end = std::min(order.size(), begin + kPieceTexts);
  double loss = 0;
  uint64_t tokens = 0;
  for (size_t i = begin; i < end; ++i) {
    const uint64_t example = epoch_ * order.size() + i;
    loss += tables_.Step(parts_[part], order[i], RateAt(example),
                         StepKey(example), room);
    tokens += task_.train.bags.tokens[order[i]];
  }
  progress.tokens.fetch_add(tokens, std::memory_order_relaxed);
  loss_sum_.fetch_add(loss, std::memory_order_relaxed);
  return true;
}

void ClassifierLearner::TellControl(RunControl& control) const {
  Standing standing = standing_;
  const size_t text =
      std::min<size_t>(progress_[0].texts, phase().train.size());
  standing.examples += static_cast<double>(text);
  standing.loss += loss_sum_;
  standing.learning_rate =
      HasDeep(options_) ? RateAt(epoch_ * phase().train.size() + text) : 0;
  control.Tell(standing);
}

void ClassifierLearner::RunThread(absl::Span<const uint32_t> order,
                                  RunControl& control) {
  const auto thread = static_cast<size_t>(omp_get_thread_num());
  const auto threads = static_cast<size_t>(omp_get_num_threads());
  ClassifierTables::Room room(tables_, omp_get_num_threads());
  tables_.Exchange(thread, threads, &room);
  for (size_t turn = 0; turn < parts_.size(); ++turn) {
    const size_t part = (thread + turn) % parts_.size();
    while (!control.ShouldPause() && RunPiece(order, part, &room)) {
      tables_.Exchange(thread, threads, &room);
      if (thread == 0) TellControl(control);
    }
  }
}

void ClassifierLearner::RunPieces(absl::Span<const uint32_t> order,
                                  RunControl& control) {
  ParallelExceptions exceptions;
#pragma omp parallel num_threads(threads_)
  exceptions.Catch([&] { RunThread(order, control); });
  exceptions.Rethrow();
  for (Progress& part : progress_) {
    part.texts = std::min<size_t>(part.texts, order.size());
  }
}

std::vector<std::vector<size_t>> ClassifierLearner::BatchesOf(
    uint64_t epoch) const {
  const std::vector<uint32_t>& texts = phase().train;
  std::vector<std::vector<size_t>> batches = DrawnBatches(
      texts.size(), [&](size_t i) { return task_.train.bags.tokens[texts[i]]; },
      options_.batch, OrderKey(epoch));
  for (std::vector<size_t>& batch : batches) {
    for (size_t& text : batch) text = texts[text];
  }
  return batches;
}

absl::Status ClassifierLearner::RunBatches(RunControl& control) {
  // The other epochs have about as many batches.
  task_.tuned->tuner().SetTotalSteps(options_.epochs * BatchesOf(0).size());
  ClassifierTables::Room room(tables_);
  size_t before = 0;
  for (const std::vector<size_t>& batch : BatchesOf(epoch_)) {
    const bool is_done = before < progress_[0].texts;
    before += batch.size();
    if (is_done) continue;
    if (control.ShouldPause()) break;
    FIRTH_RETURN_IF_ERROR(RunBatch(batch, &room));
    TellControl(control);
  }
  return absl::OkStatus();
}

absl::Status ClassifierLearner::RunBatch(absl::Span<const size_t> batch,
                                         ClassifierTables::Room* room) {
  TunedContext& tuned = *task_.tuned;
  const uint64_t first = epoch_ * phase().train.size() + progress_[0].texts;
  tuned.Forward(batch, CombineKeys(StepKey(first), 1));
  d_contexts_.Resize(batch.size(), tuned.dim());
  double loss = 0;
  uint64_t tokens = 0;
  for (size_t i = 0; i < batch.size(); ++i) {
    for (const ClassifierTables::Part part : parts_) {
      loss += tables_.Step(part, batch[i], RateAt(first + i),
                           StepKey(first + i), room, d_contexts_.Row(i));
    }
    tokens += task_.train.bags.tokens[batch[i]];
  }
  if (!std::isfinite(loss)) return Diverged(absl::StrCat("the loss is ", loss));
  const double norm = tuned.Step(d_contexts_, rate_factor_);
  if (!std::isfinite(norm)) {
    return Diverged(absl::StrCat("the loss is ", loss,
                                 ", the norm of its gradients ", norm));
  }
  loss_sum_ += loss;
  for (size_t part = 0; part < parts_.size(); ++part) {
    progress_[part].texts += batch.size();
    progress_[part].tokens += tokens;
  }
  return absl::OkStatus();
}

absl::Status ClassifierLearner::Diverged(absl::string_view cause) const {
  return absl::OutOfRangeError(absl::StrCat(
      "training diverged in epoch ", epoch_ + 1, ": ", cause,
      "; use a learning rate below ", options_.learning_rate,
      task_.tuned == nullptr
          ? ""
          : absl::StrCat(", or a tuning rate below ", options_.tuning_rate)));
}

absl::StatusOr<bool> ClassifierLearner::Advance(RunControl& control) {
  const LearnerClock::time_point start = LearnerClock::now();
  if (!is_prepared_) {
    tables_.Prepare(phase().train);
    if (task_.tuned != nullptr) task_.tuned->Restart();
  }
  is_prepared_ = true;
  standing_.epoch = static_cast<int>(epoch_);
  if (task_.tuned != nullptr) {
    FIRTH_RETURN_IF_ERROR(RunBatches(control));
  } else {
    RunPieces(Shuffled(phase().train, OrderKey(epoch_)), control);
  }
  seconds_ += SecondsSince(start);
  if (!std::isfinite(loss_sum_.load())) {
    return Diverged(absl::StrCat("the loss is ", loss_sum_.load()));
  }
  for (size_t part = 0; part < parts_.size(); ++part) {
    if (progress_[part].texts < phase().train.size()) return false;
  }
  return true;
}

absl::StatusOr<JudgedScores> ClassifierLearner::JudgeValid() {
  if (task_.tuned != nullptr) FIRTH_RETURN_IF_ERROR(task_.tuned->ReadValid());
  const RawScores scores =
      tables_.Score(task_.valid, AllTexts(task_.valid.bags.size()));
  return JudgeScores(tables_.link(), task_.labels.several, scores,
                     task_.valid.labels, tables_.UsualScales());
}

absl::StatusOr<std::string> ClassifierLearner::Measure() {
  const LearnerClock::time_point start = LearnerClock::now();
  const bool ends_phase = epoch_ + 1 == options_.epochs;
  if (ends_phase) FIRTH_RETURN_IF_ERROR(KeepHeldOut());
  ClassifierEpoch result;
  std::string line;
  if (measures()) {
    FIRTH_ASSIGN_OR_RETURN(const JudgedScores judged, JudgeValid());
    result.score = judged.score;
    line = absl::StrFormat("epoch %d: %s %.4f on the validation texts",
                           epoch_ + 1, task_.labels.several ? "F1" : "accuracy",
                           *result.score);
  }
  result.loss = loss_sum_ / static_cast<double>(phase().train.size());
  result.seconds = seconds_ + SecondsSince(start);
  epochs_.push_back(result);
  standing_.examples += static_cast<double>(phase().train.size());
  standing_.loss += loss_sum_;
  loss_sum_ = seconds_ = 0;
  for (Progress& part : progress_) part.texts = 0;
  ++epoch_;
  if (!ends_phase) return line;
  epoch_ = 0;
  ++phase_;
  if (!done()) is_prepared_ = false;
  return line;
}

absl::Status ClassifierLearner::KeepHeldOut() {
  if (phase().held_out.empty()) return absl::OkStatus();
  if (task_.tuned != nullptr) {
    FIRTH_RETURN_IF_ERROR(task_.tuned->ReadTrain(phase().held_out));
  }
  const RawScores scores = tables_.Score(task_.train, phase().held_out);
  size_t before = 0;
  for (size_t i = 0; i < phase_; ++i) before += phases_[i].held_out.size();
  const auto at = static_cast<ptrdiff_t>(before * scores.columns);
  // A part that the classifier lacks has no scores.
  const auto keep = [at](const std::vector<float>& part,
                         std::vector<float>& all) {
    if (!part.empty()) absl::c_copy(part, all.begin() + at);
  };
  keep(scores.wide, held_out_.wide);
  keep(scores.deep, held_out_.deep);
  return absl::OkStatus();
}

std::vector<std::optional<double>> ClassifierLearner::Scores() const {
  std::vector<std::optional<double>> scores;
  for (const ClassifierEpoch& epoch : epochs_) scores.push_back(epoch.score);
  return scores;
}

std::vector<NamedTensor> ClassifierLearner::Learned() {
  std::vector<NamedTensor> tensors = tables_.Learned();
  if (task_.tuned != nullptr) task_.tuned->tuner().AppendLearnt(&tensors);
  return tensors;
}

std::vector<NamedTensor> ClassifierLearner::Others() {
  std::vector<NamedTensor> tensors = tables_.Others();
  const auto add = [&](const char* name, std::vector<float>* values) {
    if (values->empty()) return;
    const size_t cols = held_out_.columns;
    tensors.push_back(
        {name, values->data(), values->size() / cols, cols, cols});
  };
  add("held_out_wide", &held_out_.wide);
  add("held_out_deep", &held_out_.deep);
  if (task_.tuned != nullptr) task_.tuned->tuner().AppendOthers(&tensors);
  return tensors;
}

Json ClassifierLearner::State() const {
  Json state = {{"phase", phase_},
                {"epoch", epoch_},
                {"text", progress_[0].texts.load()},
                {"tokens", progress_[0].tokens.load()},
                {"loss", loss_sum_.load()},
                {"seconds", seconds_},
                {"prepared", is_prepared_},
                {"epochs", epochs_}};
  if (parts_.size() > 1) {
    state["wide_text"] = progress_[1].texts.load();
    state["wide_tokens"] = progress_[1].tokens.load();
  }
  if (task_.tuned != nullptr) {
    state["tuning_steps"] = task_.tuned->tuner().steps();
  }
  return state;
}

absl::Status ClassifierLearner::SetState(const Json& state) {
  phase_ = CountAt(state, "phase", phases_.size());
  epoch_ = CountAt(state, "epoch", options_.epochs);
  // Older checkpoints have one position, because both parts were at the same
  // text.
  const bool apart = state.contains("wide_text");
  for (size_t part = 0; part < parts_.size(); ++part) {
    const bool second = part > 0 && apart;
    progress_[part].texts =
        CountAt(state, second ? "wide_text" : "text", task_.train.bags.size());
    progress_[part].tokens =
        CountAt(state, second ? "wide_tokens" : "tokens", total());
  }
  loss_sum_ = state.at("loss").get<double>();
  seconds_ = state.at("seconds").get<double>();
  state.at("epochs").get_to(epochs_);
  const bool was_prepared = state.at("prepared").get<bool>();
  if (task_.tuned != nullptr) {
    task_.tuned->tuner().set_steps(CountAt(
        state, "tuning_steps", options_.epochs * task_.train.bags.size()));
  }
  standing_ = {};
  is_prepared_ = false;
  if (!was_prepared) return absl::OkStatus();
  if (done()) phase_ = phases_.size() - 1;
  tables_.PrepareAround(phase().train);
  is_prepared_ = true;
  phase_ = CountAt(state, "phase", phases_.size());
  return absl::OkStatus();
}

// If a run stopped while texts were held out, its tables were not trained on
// these, and its scores have another meaning than those of completed phases.
absl::StatusOr<std::pair<RawScores, TextLabels>> ClassifierLearner::HeldOut() {
  const size_t present = is_prepared_ && !done() ? phase_ : phase_ - 1;
  TextLabels labels;
  const auto add = [&](const TrainingPhase& from) {
    for (const uint32_t text : from.held_out) {
      const absl::Span<const uint32_t> own = task_.labels.texts.Of(text);
      labels.numbers.insert(labels.numbers.end(), own.begin(), own.end());
      labels.begins.push_back(labels.numbers.size());
    }
  };
  if (!phases_[present].held_out.empty()) {
    add(phases_[present]);
    if (task_.tuned != nullptr) {
      FIRTH_RETURN_IF_ERROR(task_.tuned->ReadTrain(phases_[present].held_out));
    }
    return std::pair(tables_.Score(task_.train, phases_[present].held_out),
                     labels);
  }
  for (const TrainingPhase& phase : phases_) add(phase);
  return std::pair(std::move(held_out_), std::move(labels));
}

absl::Status ClassifierLearner::Finish(ClassifierModel* model) {
  // A model that has not been trained must not replace one that has.
  if (!tables_.was_prepared() || position() == 0) {
    return absl::CancelledError(
        "training was stopped before anything was learned");
  }
  if (task_.tuned != nullptr) task_.tuned->IgnoreStop();
  TextLabels labels = task_.valid.labels;
  JudgedScores judged;
  if (measures()) {
    FIRTH_ASSIGN_OR_RETURN(judged, JudgeValid());
  } else {
    RawScores scores;
    FIRTH_ASSIGN_OR_RETURN(std::tie(scores, labels), HeldOut());
    judged = JudgeScores(tables_.link(), task_.labels.several, scores, labels,
                         tables_.UsualScales());
  }
  report_.calibrated_on = labels.size();
  const size_t count = task_.labels.names.size();
  if (labels.size() > 0 && tables_.link() != LabelLink::kTree) {
    report_.calibration_error =
        CalibrationError(judged.probabilities, labels, count);
    if (task_.labels.several) {
      model->thresholds = FitThresholds(judged.probabilities, labels, count);
    }
  }
  report_.epochs = epochs_;
  report_.best_epoch = 0;
  model->several_labels = task_.labels.several;
  model->labels = task_.labels.names;
  model->label_counts = task_.labels.counts;
  model->texts = task_.labels.texts.size();
  std::move(tables_).MoveTo(judged.scales, model);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<FileInfo>> DescribeClassifierCheckpoint(
    const MappedFilePtr& file) {
  return DescribeCheckpointOf(kLearnerName, file, FactsOf);
}

}  // namespace firth
