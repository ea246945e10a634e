// Threads take pieces of an epoch's texts, whose order is drawn, from a queue,
// and step on shared tables. Between two pieces a thread keeps nothing, so the
// training can stop there and go on.

#include "classify/classifier_learner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/fields_json.h"
#include "base/json.h"
#include "base/parallel_exceptions.h"
#include "base/rng.h"
#include "base/threads.h"
#include "firth/status_macros.h"
#include "run/checkpoints.h"

namespace firth {

// The JSON library finds these by their names.
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

// Texts that a thread takes at a time.
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
      tables_(task_) {
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

std::vector<uint32_t> ClassifierLearner::OrderOf(uint64_t epoch) const {
  return Shuffled(phase().train,
                  CombineKeys(CombineKeys(options_.seed, 13 + phase_), epoch));
}

double ClassifierLearner::RateAt(uint64_t example) const {
  const auto all = static_cast<double>(phase().train.size() * options_.epochs);
  const double at = static_cast<double>(example) / all;
  return rate_factor_ * options_.learning_rate * (1 - at);
}

double ClassifierLearner::RunPiece(absl::Span<const uint32_t> order,
                                   size_t begin, size_t end,
                                   ClassifierTables::Room* room) {
  double loss = 0;
  uint64_t tokens = 0;
  for (size_t i = begin; i < end; ++i) {
    const uint64_t example = epoch_ * order.size() + i;
    const uint64_t key =
        CombineKeys(CombineKeys(options_.seed, 14 + phase_), example);
    loss += tables_.Step(order[i], RateAt(example), key, room);
    tokens += task_.train.bags.tokens[order[i]];
  }
  tokens_done_.fetch_add(tokens, std::memory_order_relaxed);
  return loss;
}

void ClassifierLearner::TellControl(size_t examples, double loss,
                                    RunControl& control) const {
  Standing standing = standing_;
  standing.examples += static_cast<double>(examples);
  standing.loss += loss;
  standing.learning_rate =
      HasDeep(options_)
          ? RateAt(epoch_ * phase().train.size() + text_ + examples)
          : 0;
  control.Tell(standing);
}

void ClassifierLearner::RunPieces(absl::Span<const uint32_t> order,
                                  RunControl& control) {
  const size_t first = text_;
  const size_t pieces = (order.size() - first + kPieceTexts - 1) / kPieceTexts;
  std::atomic<size_t> next = 0;
  ParallelExceptions exceptions;
#pragma omp parallel num_threads(threads_)
  exceptions.Catch([&] {
    const auto thread = static_cast<size_t>(omp_get_thread_num());
    const auto threads = static_cast<size_t>(omp_get_num_threads());
    ClassifierTables::Room room(tables_, omp_get_num_threads());
    tables_.Exchange(thread, threads, &room);
    double loss = 0;
    while (!control.ShouldPause()) {
      const size_t piece = next.fetch_add(1, std::memory_order_relaxed);
      if (piece >= pieces) {
        next.fetch_sub(1, std::memory_order_relaxed);
        break;
      }
      const size_t begin = first + piece * kPieceTexts;
      const size_t end = std::min(order.size(), begin + kPieceTexts);
      loss += RunPiece(order, begin, end, &room);
      tables_.Exchange(thread, threads, &room);
      if (thread != 0) continue;
      TellControl(end - first, loss * static_cast<double>(threads_), control);
    }
#pragma omp critical(firth_classifier_loss)
    loss_sum_ += loss;
  });
  exceptions.Rethrow();
  text_ = std::min(order.size(), first + next.load() * kPieceTexts);
}

absl::StatusOr<bool> ClassifierLearner::Advance(RunControl& control) {
  const LearnerClock::time_point start = LearnerClock::now();
  if (!is_prepared_) tables_.Prepare(phase().train);
  is_prepared_ = true;
  const std::vector<uint32_t> order = OrderOf(epoch_);
  standing_.epoch = static_cast<int>(epoch_);
  const double loss_before = loss_sum_;
  const size_t text_before = text_;
  RunPieces(order, control);
  standing_.loss += loss_sum_ - loss_before;
  standing_.examples += static_cast<double>(text_ - text_before);
  seconds_ += SecondsSince(start);
  if (!std::isfinite(loss_sum_)) {
    return absl::OutOfRangeError(absl::StrCat(
        "training diverged in epoch ", epoch_ + 1, ": the loss is ", loss_sum_,
        "; a lower learning rate than ", options_.learning_rate, " may help"));
  }
  return text_ == order.size();
}

JudgedScores ClassifierLearner::JudgeValid() {
  const RawScores scores =
      tables_.Score(task_.valid, AllTexts(task_.valid.bags.size()));
  return JudgeScores(tables_.link(), task_.labels.several, scores,
                     task_.valid.labels, tables_.UsualScales());
}

absl::StatusOr<std::string> ClassifierLearner::Measure() {
  const LearnerClock::time_point start = LearnerClock::now();
  ClassifierEpoch result;
  std::string line;
  if (measures()) {
    result.score = JudgeValid().score;
    line = absl::StrFormat("epoch %d: %s %.4f on given texts", epoch_ + 1,
                           task_.labels.several ? "F1" : "accuracy",
                           *result.score);
  }
  result.loss = loss_sum_ / static_cast<double>(phase().train.size());
  result.seconds = seconds_ + SecondsSince(start);
  epochs_.push_back(result);
  loss_sum_ = seconds_ = 0;
  text_ = 0;
  if (++epoch_ < options_.epochs) return line;
  epoch_ = 0;
  KeepHeldOut();
  ++phase_;
  if (!done()) is_prepared_ = false;
  return line;
}

void ClassifierLearner::KeepHeldOut() {
  if (phase().held_out.empty()) return;
  const RawScores scores = tables_.Score(task_.train, phase().held_out);
  size_t before = 0;
  for (size_t i = 0; i < phase_; ++i) before += phases_[i].held_out.size();
  const auto at = static_cast<ptrdiff_t>(before * scores.columns);
  std::copy(scores.wide.begin(), scores.wide.end(),
            held_out_.wide.begin() + at);
  std::copy(scores.deep.begin(), scores.deep.end(),
            held_out_.deep.begin() + at);
}

std::vector<std::optional<double>> ClassifierLearner::Scores() const {
  std::vector<std::optional<double>> scores;
  for (const ClassifierEpoch& epoch : epochs_) scores.push_back(epoch.score);
  return scores;
}

std::vector<NamedTensor> ClassifierLearner::Learnt() {
  return tables_.Learnt();
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
  return tensors;
}

Json ClassifierLearner::State() const {
  return {
      {"phase", phase_},          {"epoch", epoch_},   {"text", text_},
      {"tokens", position()},     {"loss", loss_sum_}, {"seconds", seconds_},
      {"prepared", is_prepared_}, {"epochs", epochs_}};
}

absl::Status ClassifierLearner::SetState(const Json& state) {
  phase_ = CountAt(state, "phase", phases_.size());
  epoch_ = CountAt(state, "epoch", options_.epochs);
  text_ = CountAt(state, "text", task_.train.bags.size());
  tokens_done_ = CountAt(state, "tokens", total());
  loss_sum_ = state.at("loss").get<double>();
  seconds_ = state.at("seconds").get<double>();
  state.at("epochs").get_to(epochs_);
  const bool was_prepared = state.at("prepared").get<bool>();
  standing_ = {};
  is_prepared_ = false;
  if (!was_prepared) return absl::OkStatus();
  if (done()) phase_ = phases_.size() - 1;
  tables_.PrepareAround(phase().train);
  is_prepared_ = true;
  phase_ = CountAt(state, "phase", phases_.size());
  return absl::OkStatus();
}

// A training that was stopped while texts were held out has tables that do not
// know these, and whose scores mean something else than those of phases that
// came to their end.
std::pair<RawScores, TextLabels> ClassifierLearner::HeldOut() {
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
    return {tables_.Score(task_.train, phases_[present].held_out), labels};
  }
  for (const TrainingPhase& phase : phases_) add(phase);
  return {std::move(held_out_), std::move(labels)};
}

absl::Status ClassifierLearner::Finish(ClassifierModel* model) {
  // A model of which nothing was learnt would replace one that knows something.
  if (!tables_.was_prepared() || position() == 0) {
    return absl::CancelledError("stopped before anything was learnt");
  }
  RawScores scores;
  TextLabels labels = task_.valid.labels;
  if (!measures()) std::tie(scores, labels) = HeldOut();
  const JudgedScores judged =
      measures() ? JudgeValid()
                 : JudgeScores(tables_.link(), task_.labels.several, scores,
                               labels, tables_.UsualScales());
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
  std::move(tables_).MoveTo(judged.scales, model);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<FileInfo>> DescribeClassifierCheckpoint(
    const MappedFilePtr& file) {
  return DescribeCheckpointOf(kLearnerName, file, FactsOf);
}

}  // namespace firth
