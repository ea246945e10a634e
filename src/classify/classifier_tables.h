// ClassifierTables: what a training learns, and what is done with it text by
// text. A phase of a training knows nothing of the texts that it holds out:
// inverse frequencies and scales are those of the others.

#ifndef FIRTH_SRC_CLASSIFY_CLASSIFIER_TABLES_H_
#define FIRTH_SRC_CLASSIFY_CLASSIFIER_TABLES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/matrix.h"
#include "classify/calibration.h"
#include "classify/classifier_model.h"
#include "classify/classifier_task.h"
#include "classify/deep_step.h"
#include "classify/wide_step.h"
#include "classify/wide_table.h"
#include "run/learner.h"

namespace firth {

class ClassifierTables {
 public:
  // What a thread works in.
  struct Room;

  // Borrows what the task borrows. Throws std::bad_alloc.
  explicit ClassifierTables(const ClassifierTask& task);

  LabelLink link() const { return link_; }
  // Whether Prepare() was ever called.
  bool was_prepared() const { return !idf_.empty(); }

  // Sets what follows from the texts of a phase, and all weights to where they
  // start.
  void Prepare(absl::Span<const uint32_t> texts);
  // The same, but leaves the weights, which have been restored.
  void PrepareAround(absl::Span<const uint32_t> texts);

  // Learns from a text of the task's. key: for what is drawn. Returns the loss,
  // in nats. Any number of threads.
  double Step(size_t text, double rate, uint64_t key, Room* room);
  // What a thread has learnt and the others have, before its first step, now
  // and then, and after its last.
  void Exchange(size_t thread, size_t threads, Room* room);

  // The scores of some texts, a row each, or zeros. `numbers`: of the texts.
  RawScores ZeroScores(size_t texts) const;
  RawScores Score(const ClassifierTexts& texts,
                  absl::Span<const uint32_t> numbers);
  // Those that are usual, where there are no texts to find them on.
  ScoreScales UsualScales() const;

  // For checkpoints.
  std::vector<NamedTensor> Learnt();
  std::vector<NamedTensor> Others();

  // Sets all of the model that is learnt, its bias from `scales`. There are no
  // tables any more.
  void MoveTo(const ScoreScales& scales, ClassifierModel* model) &&;

 private:
  size_t score_columns() const;
  double WeightOf(size_t text) const;
  void PrepareWide(absl::Span<const uint32_t> texts);
  void ScaleInput(absl::Span<const uint32_t> texts);
  absl::Span<const WideFeature> WideFeaturesOf(size_t text) const;
  double StepWidePart(size_t text, double weight, Room* room);
  void ScoreText(const ClassifierTexts& texts, size_t text, size_t row,
                 Room* room, RawScores* scores);
  void ScoreWidePart(absl::Span<const FeatureCount> features, float* to,
                     Room* room);
  void ScoreDeepPart(const ClassifierTexts& texts, size_t text, float* to,
                     Room* room);
  void MoveWideTo(float scale, ClassifierModel* model);

  const ClassifierTask task_;
  const ClassifierOptions& options_;
  const DeepLoss loss_;
  const LabelLink link_;
  const int threads_;

  WideTable wide_;       // a row for the bias behind those of the features
  Matrix<float> duals_;  // [texts, width]
  DeepTables deep_;
  // Of the present phase.
  size_t num_texts_ = 0;
  std::vector<uint32_t> text_counts_;  // [features]: texts that have each
  std::vector<float> idf_;
  std::vector<bool> is_given_;  // rows that vectors were given for
  // Of each text, those of its features that are known and that of the bias.
  // They begin where its features do, a place later for each text before.
  std::vector<WideFeature> wide_features_;
  std::vector<uint32_t> wide_counts_;
};

struct ClassifierTables::Room {
  // One of `threads` threads that learn.
  explicit Room(ClassifierTables& tables, int threads = 1);
  PaddedMatrix signs;  // -1 but while a text is stepped on
  PaddedMatrix scores;
  DeepRoom deep;
  std::vector<WideFeature> features;
  std::vector<FeatureCount> known;
};

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_CLASSIFIER_TABLES_H_
