// ClassifierTables: the weights that training changes, and the steps for each
// text. Texts that a phase holds out do not affect it: inverse frequencies and
// scales are computed from the others.

#ifndef FIRTH_CLASSIFY_TRAIN_CLASSIFIER_TABLES_H_
#define FIRTH_CLASSIFY_TRAIN_CLASSIFIER_TABLES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/matrix.h"
#include "classify/features/feature_index.h"
#include "classify/model/classifier_model.h"
#include "classify/texts/text_labels.h"
#include "classify/train/calibration.h"
#include "classify/train/deep_step.h"
#include "classify/train/wide_step.h"
#include "firth/classifier.h"
#include "firth/word_vectors.h"
#include "nlohmann/json.hpp"
#include "run/learner.h"

namespace firth {

class TunedContext;  // classify/model/text_context.h

// Texts as a learner reads them. context: [texts, context dim], or empty.
struct ClassifierTexts {
  FeatureBags bags;
  TextLabels labels;
  Matrix<float> context;

  const float* ContextOf(size_t text) const {
    return context.rows() > 0 ? context.Row(text) : nullptr;
  }
};

// The data from which a classifier is trained, all of it borrowed.
struct ClassifierTask {
  const ClassifierOptions& options;  // no option is automatic
  const FeatureIndex& index;
  const LabelSet& labels;
  const ClassifierTexts& train;
  // Has no texts if there are no validation texts.
  const ClassifierTexts& valid;
  const WordVectors* vectors;  // initial vectors of the deep part; may be null
  // Checksums of texts and files: the part of the identity besides options.
  nlohmann::json sources;
  // Tunes the contextualizer, and thereby changes the contexts of the texts. If
  // null, they do not change.
  TunedContext* tuned = nullptr;
};

class ClassifierTables {
 public:
  // Buffers of one thread.
  struct Room;

  // Borrows what the task borrows. Throws std::bad_alloc.
  explicit ClassifierTables(const ClassifierTask& task);

  LabelLink link() const { return link_; }
  // Returns whether Prepare() was ever called.
  bool was_prepared() const { return !idf_.empty(); }

  // Computes what depends on the texts of a phase, and sets all weights to
  // their initial values.
  void Prepare(absl::Span<const uint32_t> texts);
  // Does the same, but keeps the weights, which have been restored.
  void PrepareAround(absl::Span<const uint32_t> texts);

  // The parts to train. They share nothing until they are calibrated, so
  // threads may be at different texts, each with its own part. Parts() lists
  // first the part whose loss is reported.
  enum class Part { kWide, kDeep };
  std::vector<Part> Parts() const;

  // Trains one part on a text of the task. `key` seeds random draws. If
  // `d_context` is not null, it receives the gradient of the deep part's loss
  // with respect to the text's context. Returns the loss in nats for the first
  // part, otherwise 0. May be called by any number of threads.
  double Step(Part part, size_t text, double rate, uint64_t key, Room* room,
              float* d_context = nullptr);
  // Exchanges what this thread and the others have trained. Call before a
  // thread's first step, from time to time, and after its last step.
  void Exchange(size_t thread, size_t threads, Room* room);

  // Return the scores of some texts, one row per text, or zeros. `numbers` are
  // the indexes of the texts.
  RawScores ZeroScores(size_t texts) const;
  RawScores Score(const ClassifierTexts& texts,
                  absl::Span<const uint32_t> numbers);
  // Returns the scales to use if there are no texts to estimate them from.
  ScoreScales UsualScales() const;

  // Tensors for checkpoints.
  std::vector<NamedTensor> Learned();
  std::vector<NamedTensor> Others();

  // Sets everything in the model that is trained, with its bias from `scales`.
  // The tables are gone afterwards.
  void MoveTo(const ScoreScales& scales, ClassifierModel* model) &&;

 private:
  size_t score_columns() const;
  double WeightOf(size_t text) const;
  void PrepareWide(absl::Span<const uint32_t> texts);
  void ScaleInput(absl::Span<const uint32_t> texts);
  absl::Span<const WideFeature> WideFeaturesOf(size_t text) const;
  double StepWidePart(size_t text, double weight, Room* room);
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

  WideTable wide_;       // one row per feature, then one for the bias
  Matrix<float> duals_;  // [texts, width]
  DeepTables deep_;
  // These members depend on the current phase.
  size_t num_texts_ = 0;
  // [features]: number of texts that have each.
  std::vector<uint32_t> text_counts_;
  std::vector<float> idf_;
  std::vector<bool> is_given_;  // rows for which vectors were given
  // For each text, the known features and that of the bias. Those of text i
  // begin where its features do, plus i.
  std::vector<WideFeature> wide_features_;
  std::vector<uint32_t> wide_counts_;
};

struct ClassifierTables::Room {
  // For one of `threads` threads that train.
  explicit Room(ClassifierTables& tables, int threads = 1);
  PaddedMatrix signs;  // -1 except during the step of a text
  PaddedMatrix scores;
  DeepRoom deep;
  std::vector<WideFeature> features;
  std::vector<FeatureCount> known;
};

// Sets all rows of `input`, [features, dim], to small random numbers that
// depend on the seed. If there are vectors, words have theirs, or that of their
// character n-grams, minus the mean of all, with a lower weight the more
// frequent they are. N-grams of words then have the mean of their words, and
// n-grams of characters zeros. `vectors` has vectors of dim values, or is null.
// Returns which rows are words with a vector: [features].
std::vector<bool> StartRows(const FeatureIndex& index,
                            const WordVectors* vectors, uint64_t seed,
                            int threads, PaddedMatrix* input);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_TRAIN_CLASSIFIER_TABLES_H_
