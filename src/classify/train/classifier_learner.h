// ClassifierLearner: the training of a classifier, as controlled by a Run.
//
// Training has phases. In each phase except the last, a fold of the texts is
// held out and scored by the model that is trained on the others. The scales of
// calibration are estimated from all of these scores. The last phase trains on
// all texts. If there are validation texts, it is the only phase, and they are
// scored after each epoch.
//
// The wide and the deep part share no table. Threads that update the same rows
// wait for one another's caches, so half of them begin an epoch with one part
// and half with the other. Threads that finish their part help the others.

#ifndef FIRTH_CLASSIFY_TRAIN_CLASSIFIER_LEARNER_H_
#define FIRTH_CLASSIFY_TRAIN_CLASSIFIER_LEARNER_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "classify/train/calibration.h"
#include "classify/train/classifier_tables.h"
#include "classify/train/training_plan.h"
#include "firth/classifier.h"
#include "firth/file_info.h"
#include "run/learner.h"

namespace firth {

class ClassifierLearner : public Learner {
 public:
  // Throws std::bad_alloc.
  ClassifierLearner(const ClassifierTask& task, ClassifierReport* report);

  nlohmann::json Identity() const override;
  absl::StatusOr<bool> Advance(RunControl& control) override;
  bool done() const override { return phase_ == phases_.size(); }
  uint64_t position() const override {
    uint64_t tokens = 0;
    for (const Progress& part : progress_) tokens += part.tokens;
    return tokens / parts_.size();
  }
  uint64_t total() const override;
  absl::StatusOr<std::string> Measure() override;
  std::vector<std::optional<double>> Scores() const override;
  std::vector<NamedTensor> Learned() override;
  std::vector<NamedTensor> Others() override;
  nlohmann::json State() const override;
  absl::Status SetState(const nlohmann::json& state) override;
  void SetRateFactor(double factor) override { rate_factor_ = factor; }

  // Call after the run. Sets the model, except for features, options and
  // context. The learner has no tables afterwards. Errors: Cancelled, if
  // nothing was trained.
  absl::Status Finish(ClassifierModel* model);

 private:
  // Progress of a part in its texts.
  struct Progress {
    // Number in the current epoch, done or assigned to a thread.
    std::atomic<size_t> texts = 0;
    std::atomic<uint64_t> tokens = 0;  // done, in total
  };

  const TrainingPhase& phase() const { return phases_[phase_]; }
  bool measures() const { return task_.valid.labels.size() > 0; }

  // Return the seeds of an epoch's order and of a step.
  uint64_t OrderKey(uint64_t epoch) const;
  uint64_t StepKey(uint64_t example) const;
  double RateAt(uint64_t example) const;
  void RunPieces(absl::Span<const uint32_t> order, RunControl& control);
  // Runs one of the threads of RunPieces().
  void RunThread(absl::Span<const uint32_t> order, RunControl& control);
  // Trains one part on the next texts of an order. Returns false if there are
  // none.
  bool RunPiece(absl::Span<const uint32_t> order, size_t part,
                ClassifierTables::Room* room);
  // These functions tune a contextualizer as well. They train on the texts of
  // an epoch batch by batch, and each batch is one step of both.
  std::vector<std::vector<size_t>> BatchesOf(uint64_t epoch) const;
  absl::Status RunBatches(RunControl& control);
  absl::Status RunBatch(absl::Span<const size_t> batch,
                        ClassifierTables::Room* room);
  absl::Status Diverged(absl::string_view cause) const;
  void TellControl(RunControl& control) const;
  absl::StatusOr<JudgedScores> JudgeValid();
  absl::Status KeepHeldOut();
  // Returns the scores of held-out texts by which the current tables are
  // calibrated, and the labels of these texts.
  absl::StatusOr<std::pair<RawScores, TextLabels>> HeldOut();

  const ClassifierTask task_;
  const ClassifierOptions& options_;
  ClassifierReport& report_;
  const int threads_;
  const std::vector<TrainingPhase> phases_;
  ClassifierTables tables_;
  const std::vector<ClassifierTables::Part> parts_;
  RawScores held_out_;  // of all phases, in order

  bool is_prepared_ = false;  // the tables, for the current phase
  size_t phase_ = 0;
  size_t epoch_ = 0;
  std::array<Progress, 2> progress_;  // of parts_
  std::atomic<double> loss_sum_ = 0;  // of the epoch
  double seconds_ = 0;
  double rate_factor_ = 1;
  Standing standing_;
  Matrix<float> d_contexts_;
  std::vector<ClassifierEpoch> epochs_;  // of all phases
};

// Describes a checkpoint for DescribeFile(), or returns nothing if the file is
// not one.
absl::StatusOr<std::optional<FileInfo>> DescribeClassifierCheckpoint(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_TRAIN_CLASSIFIER_LEARNER_H_
