// ClassifierLearner: the training of a classifier, as a Run drives it.
//
// A training has phases. In each but the last, a fold of the texts is held out;
// the model that the others give scores it, and from all of these scores come
// the scales of calibration. The last phase learns from all texts. Where there
// are texts to measure on, it is the only one, and they are scored after each
// epoch.
//
// The wide and the deep part have no table in common. Threads that step on the
// same rows wait for one another's caches, so half of them begin an epoch with
// one part and half with the other, and whoever is through helps the others.

#ifndef FIRTH_SRC_CLASSIFY_CLASSIFIER_LEARNER_H_
#define FIRTH_SRC_CLASSIFY_CLASSIFIER_LEARNER_H_

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
#include "classify/classifier_tables.h"
#include "classify/classifier_task.h"
#include "classify/judge_scores.h"
#include "classify/training_plan.h"
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
  std::vector<NamedTensor> Learnt() override;
  std::vector<NamedTensor> Others() override;
  nlohmann::json State() const override;
  absl::Status SetState(const nlohmann::json& state) override;
  void SetRateFactor(double factor) override { rate_factor_ = factor; }

  // Behind the run: the model, without features, options and context. The
  // learner has no tables any more. Errors: Cancelled, nothing was learnt.
  absl::Status Finish(ClassifierModel* model);

 private:
  // How far a part has come in its texts.
  struct Progress {
    std::atomic<size_t> texts = 0;  // of the epoch, done or given to a thread
    std::atomic<uint64_t> tokens = 0;  // done, in all
  };

  const TrainingPhase& phase() const { return phases_[phase_]; }
  bool measures() const { return task_.valid.labels.size() > 0; }

  std::vector<uint32_t> OrderOf(uint64_t epoch) const;
  double RateAt(uint64_t example) const;
  void RunPieces(absl::Span<const uint32_t> order, RunControl& control);
  // One of the threads of RunPieces().
  void RunThread(absl::Span<const uint32_t> order, RunControl& control);
  // One part learns from the next texts of an order. Returns false where there
  // are none.
  bool RunPiece(absl::Span<const uint32_t> order, size_t part,
                ClassifierTables::Room* room);
  // Of a contextualizer that is tuned: learns from the epoch's texts, batch by
  // batch, each a step of both.
  std::vector<std::vector<size_t>> BatchesOf(uint64_t epoch) const;
  absl::Status RunBatches(RunControl& control);
  absl::Status RunBatch(absl::Span<const size_t> batch,
                        ClassifierTables::Room* room);
  absl::Status Diverged(absl::string_view cause) const;
  void TellControl(RunControl& control) const;
  absl::StatusOr<JudgedScores> JudgeValid();
  absl::Status KeepHeldOut();
  // The scores of texts that were held out, by which the present tables are
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

  bool is_prepared_ = false;  // the tables, for the present phase
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

// Describes one for DescribeFile(); returns nothing if the file is none.
absl::StatusOr<std::optional<FileInfo>> DescribeClassifierCheckpoint(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_CLASSIFIER_LEARNER_H_
