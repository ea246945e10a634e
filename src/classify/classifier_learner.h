// ClassifierLearner: the training of a classifier, as a Run drives it.
//
// A training has phases. In each but the last, a fold of the texts is held out;
// the model that the others give scores it, and from all of these scores come
// the scales of calibration. The last phase learns from all texts. Where there
// are texts to measure on, it is the only one, and they are scored after each
// epoch.

#ifndef FIRTH_SRC_CLASSIFY_CLASSIFIER_LEARNER_H_
#define FIRTH_SRC_CLASSIFY_CLASSIFIER_LEARNER_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "base/matrix.h"
#include "classify/calibration.h"
#include "classify/deep_step.h"
#include "classify/feature_index.h"
#include "classify/text_labels.h"
#include "classify/wide_table.h"
#include "classify/wide_values.h"
#include "firth/classifier.h"
#include "firth/file_info.h"
#include "firth/word_vectors.h"
#include "run/learner.h"

namespace firth {

// Texts as a learner reads them. context: [texts, context dim], or none.
struct ClassifierTexts {
  FeatureBags bags;
  TextLabels labels;
  Matrix<float> context;

  const float* ContextOf(size_t text) const {
    return context.rows() > 0 ? context.Row(text) : nullptr;
  }
};

// What a classifier learns from. Borrowed throughout.
struct ClassifierTask {
  const ClassifierOptions& options;  // nothing is automatic
  const FeatureIndex& index;
  const LabelSet& labels;
  const ClassifierTexts& train;
  const ClassifierTexts& valid;  // of no texts: none
  const WordVectors* vectors;    // that the deep part starts from; may be null
  // Of texts and files, by checksum: what is in the identity besides options.
  nlohmann::json sources;
};

// Of parts and losses as options have them.
bool HasWide(const ClassifierOptions& options);
bool HasDeep(const ClassifierOptions& options);
LabelLink LinkOf(const ClassifierOptions& options, bool several_labels);
// Passes over so many tokens where options.epochs is 0.
uint64_t AutomaticEpochs(const ClassifierOptions& options, uint64_t tokens);
// How many phases there are but the last, and the texts that are held out of
// each of them, in order.
size_t NumHeldOutFolds(const ClassifierOptions& options, size_t texts);
std::vector<std::vector<uint32_t>> HeldOutFolds(
    const ClassifierOptions& options, size_t texts);
// Bytes that the tables of a training take.
uint64_t TrainingBytes(const ClassifierOptions& options, size_t features,
                       uint64_t features_of_texts, size_t texts, size_t labels,
                       size_t context_dim);

class ClassifierLearner : public Learner {
 public:
  // Throws std::bad_alloc.
  ClassifierLearner(const ClassifierTask& task, ClassifierReport* report);

  nlohmann::json Identity() const override;
  absl::StatusOr<bool> Advance(RunControl& control) override;
  bool done() const override { return phase_ == phases_.size(); }
  uint64_t position() const override {
    return tokens_done_.load(std::memory_order_relaxed);
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
  struct Phase {
    std::vector<uint32_t> train;
    std::vector<uint32_t> held_out;
    uint64_t tokens = 0;  // of `train`
  };
  struct Room;

  const Phase& phase() const { return phases_[phase_]; }
  bool is_last_phase() const { return phase_ + 1 == phases_.size(); }
  bool measures() const { return task_.valid.labels.size() > 0; }

  // Sets what follows from the texts of a phase alone.
  void PreparePhase();
  void ResetTables();
  void StartInput();
  std::vector<uint32_t> OrderOf(uint64_t epoch) const;
  double WeightOf(size_t text) const;
  // Returns the loss.
  double StepText(size_t text, double rate, uint64_t key, Room* room);
  void RunPieces(absl::Span<const uint32_t> order, RunControl& control);
  // Raw scores of a text, one row of each vector of `scores`.
  void ScoreText(const ClassifierTexts& texts, size_t text, size_t row,
                 Room* room, RawScores* scores);
  RawScores ScoreAll(const ClassifierTexts& texts,
                     absl::Span<const uint32_t> numbers);
  size_t ScoreColumns() const;
  ScoreScales StartScales() const;
  double Judge(const RawScores& scores, const TextLabels& labels,
               std::vector<float>* probabilities, ScoreScales* scales) const;

  const ClassifierTask task_;
  const ClassifierOptions& options_;
  ClassifierReport& report_;
  const DeepLoss loss_;
  const LabelLink link_;
  const int threads_;
  std::vector<Phase> phases_;
  RawScores held_out_;  // of all phases, in order

  WideTable wide_;       // a row for the bias behind those of the features
  Matrix<float> duals_;  // [texts, width]
  DeepTables deep_;
  // Of the present phase.
  bool is_prepared_ = false;
  std::vector<uint32_t> text_counts_;
  std::vector<float> idf_;
  std::vector<bool> is_given_;  // rows that vectors were given for
  std::vector<WideFeature> wide_features_;
  std::vector<uint64_t> wide_begins_;

  size_t phase_ = 0;
  size_t epoch_ = 0;
  size_t text_ = 0;  // of the epoch, done
  std::atomic<uint64_t> tokens_done_ = 0;
  double loss_sum_ = 0;  // of the epoch
  double seconds_ = 0;
  double rate_factor_ = 1;
  Standing standing_;
  std::vector<ClassifierEpoch> epochs_;  // of all phases
};

// Describes one for DescribeFile(); returns nothing if the file is none.
absl::StatusOr<std::optional<FileInfo>> DescribeClassifierCheckpoint(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_CLASSIFIER_LEARNER_H_
