// EmbeddingLearner: the learner of word vectors, driven by a Run.

#ifndef FIRTH_TRAIN_EMBEDDING_LEARNER_H_
#define FIRTH_TRAIN_EMBEDDING_LEARNER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "corpus/token_stream.h"
#include "firth/corpus.h"
#include "firth/fields.h"
#include "firth/train.h"
#include "model/embedding_model.h"
#include "nlohmann/json.hpp"
#include "objective/objective_tables.h"
#include "run/learner.h"
#include "run/run.h"
#include "train/engine.h"
#include "train/sentence_reader.h"
#include "train/worker.h"
#include "vocab/subsampler.h"

namespace firth {

// A training run in which sentences have rows.
struct SentenceTraining {
  const SentenceRows& rows;
  absl::string_view learner;  // Name of its learner; see Learner.
  // The user's options, by which its checkpoints are identified.
  const FieldTable& fields;
  nlohmann::json identity;
  float input_range;        // See ModelShape.
  const Vocabulary& names;  // Names of the rows.
};

// Inputs of a learner. Everything is borrowed.
struct EmbeddingTraining {
  const TrainOptions& options;
  const Corpus& corpus;
  const InitialVectors& initial;
  const Validation& validation;
  const ObjectiveTables& tables;
  EmbeddingModel& model;
  const SentenceTraining* sentences = nullptr;  // See Training.
};

// Counts epochs, measures the model after each of them, and reports. The
// training itself is done by an engine.
class EmbeddingLearner final : public Learner {
 public:
  // Calls `make_engine` to create the engine, for this number of threads.
  // Errors: those of `make_engine` and of the ranks.
  static absl::StatusOr<std::unique_ptr<EmbeddingLearner>> Create(
      const EmbeddingTraining& training, int threads,
      absl::FunctionRef<
          absl::StatusOr<std::unique_ptr<Engine>>(const EngineInputs&)>
          make_engine);

  nlohmann::json Identity() const override;

  absl::StatusOr<bool> Advance(RunControl& control) override;
  bool done() const override;
  uint64_t position() const override {
    return monitor_.words() + monitor_.words_of_others();
  }
  uint64_t total() const override { return monitor_.total_words(); }

  absl::StatusOr<std::string> Measure() override;
  std::vector<std::optional<double>> Scores() const override;

  std::vector<NamedTensor> Learned() override { return engine_->Tensors(); }
  void AddConstants(CheckedWriter* writer) const override;
  nlohmann::json State() const override;
  absl::Status SetState(const nlohmann::json& state) override;
  void SetRateFactor(double factor) override { engine_->SetRateFactor(factor); }

  TrainReport Report(const RunReport& run) const;
  Engine& engine() { return *engine_; }

 private:
  EmbeddingLearner(const EmbeddingTraining& training, int threads);

  const TokenStream& stream() const { return *training_.corpus.tokens; }
  void EndEpoch();
  // Returns the mean held-out loss, or nothing if no word is left to predict.
  absl::StatusOr<std::optional<double>> HeldOutLoss();

  const EmbeddingTraining training_;
  const TrainOptions& options_;
  EmbeddingModel& model_;
  const Subsampler subsampler_;
  const StreamPiece held_out_;  // Empty except for NCE.
  const StreamPiece trained_;
  uint64_t held_out_words_ = 0;  // In the whole text.
  const int threads_;
  TrainMonitor monitor_;
  std::unique_ptr<Engine> engine_;
  uint64_t epoch_ = 0;               // The current epoch, from 0.
  EpochReport sums_;                 // Sums of the current epoch.
  std::vector<EpochReport> epochs_;  // Epochs that are done.
};

}  // namespace firth

#endif  // FIRTH_TRAIN_EMBEDDING_LEARNER_H_
