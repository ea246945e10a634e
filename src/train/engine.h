// Engine: a way to train word vectors, for example Hogwild.
//
// EmbeddingLearner counts epochs, measures the model and reports. An engine
// trains: it decides which thread or process steps on which part of the text,
// and when their updates become visible to the others. The learner does not
// know which engine it drives. train/engine.cc lists all engines.

#ifndef FIRTH_TRAIN_ENGINE_H_
#define FIRTH_TRAIN_ENGINE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "corpus/token_stream.h"
#include "firth/corpus.h"
#include "firth/ranks.h"
#include "firth/train.h"
#include "model/embedding_model.h"
#include "nlohmann/json.hpp"
#include "objective/objective_tables.h"
#include "run/learner.h"
#include "train/sentence_reader.h"
#include "train/worker.h"
#include "vocab/subsampler.h"

namespace firth {

// Inputs of an engine. Everything outlives the engine.
struct EngineInputs {
  const TrainOptions& options;
  const Corpus& corpus;
  const Subsampler& subsampler;
  const ObjectiveTables& tables;
  EmbeddingModel& model;
  TrainMonitor& monitor;
  StreamPiece trained;  // Tokens of the corpus that each epoch trains on.
  int threads = 1;      // See EngineKind::Threads().
  // Rows of the corpus's sentences, or null. Only local engines train them.
  const SentenceRows* rows = nullptr;

  const TokenStream& stream() const { return *corpus.tokens; }
};

// Pieces of a text that are not trained on yet, in order.
using TextRest = std::vector<StreamPiece>;

// Returns whether training must pause. Any thread may call it.
using PauseFunction = std::function<bool()>;

// Returns the quality of vectors; see Validation::score.
using ScoreFunction = std::function<absl::StatusOr<double>(const WordVectors&)>;

// One thread calls an engine. If several ranks train together, all of them make
// the same calls in the same order.
class Engine {
 public:
  virtual ~Engine() = default;

  // Begins an epoch with the whole text.
  virtual void BeginEpoch() = 0;
  // Trains on the rest of the epoch until nothing is left or `pause` returns
  // true. Adds the work done to *done. Errors: OutOfRange, the loss is not
  // finite; those of the ranks.
  virtual absl::Status Train(int epoch, const PauseFunction& pause,
                             WorkDone* done) = 0;
  // Returns whether nothing is left of the epoch, on any rank.
  virtual bool EpochIsDone() const = 0;

  // Computes the loss on a text without changing the model. Errors: those of
  // Train().
  virtual absl::StatusOr<WorkDone> Loss(const TokenStream& text) = 0;
  // Returns the score of the current vectors, the same on all ranks.
  virtual absl::StatusOr<double> Score(const ScoreFunction& score) = 0;
  // Returns whether the model of this process is all that is trained, so that
  // EngineInputs::model can be copied between two epochs.
  virtual bool OwnsModel() const { return true; }

  // Returns the trained tables in the memory of this process, up to date.
  virtual std::vector<NamedTensor> Tensors() = 0;
  // Must be called after the tables were set from outside, for example from a
  // checkpoint. `words` is the number of words trained until then, over all
  // ranks and epochs.
  virtual void Restored(uint64_t words) = 0;
  // Adds what a checkpoint needs in addition to the tables: the rest of the
  // epoch, and values that the engine keeps between pauses.
  virtual void AddState(nlohmann::json* state) const = 0;
  // Reads what AddState() wrote. May throw nlohmann::json::exception. Errors:
  // DataLoss.
  virtual absl::Status SetState(const nlohmann::json& state) = 0;

  // Multiplies the learning rate by `factor`.
  virtual void SetRateFactor(double factor) = 0;

  // Returns a checksum of the text of all ranks.
  virtual uint64_t TextSum() const = 0;
  // Replaces the values by their sums over all ranks that train on different
  // parts of the text. Errors: those of the ranks.
  virtual absl::Status SumOverText(absl::Span<uint64_t>) {
    return absl::OkStatus();
  }

  // Adds the values that only the engine can report.
  virtual void Report(TrainReport*) const {}
  // Completes a model that was trained by several ranks. After this, only rank
  // 0 has vectors. Errors: those of the ranks.
  virtual absl::Status Finish(TrainedModel*) { return absl::OkStatus(); }
};

// Common part of engines that train on the text of this process in pieces.
class LocalEngine : public Engine {
 public:
  explicit LocalEngine(const EngineInputs& inputs) : inputs_(inputs) {}

  void BeginEpoch() override;
  absl::Status Train(int epoch, const PauseFunction& pause,
                     WorkDone* done) override;
  bool EpochIsDone() const override { return rest_.empty(); }
  absl::StatusOr<WorkDone> Loss(const TokenStream& text) override {
    return LossOfShare(text, 0, 1);
  }
  absl::StatusOr<double> Score(const ScoreFunction& score) override;
  std::vector<NamedTensor> Tensors() override;
  void Restored(uint64_t words) override { inputs_.monitor.GoOnFrom(words); }
  void AddState(nlohmann::json* state) const override;
  absl::Status SetState(const nlohmann::json& state) override;
  void SetRateFactor(double factor) override {
    inputs_.monitor.set_rate_factor(factor);
  }
  uint64_t TextSum() const override;

  // Computes the loss on the pieces share, share + shares, ... of a text.
  WorkDone LossOfShare(const TokenStream& text, uint64_t share,
                       uint64_t shares) const;

  // Returns the rest of the epoch, in positions of the text of this process.
  const TextRest& rest() const { return rest_; }
  void set_rest(TextRest rest) { rest_ = std::move(rest); }

 protected:
  // Trains on a part of the text until it is done or `pause` returns true.
  // Returns how far it got, even after an error.
  virtual TrainedPart TrainPart(int epoch, StreamPiece part,
                                const PauseFunction& pause) = 0;

  // Returns how many numbers the engine keeps from one pause to the next.
  virtual size_t NumKept() const { return 0; }
  // Returns these numbers; empty until the engine sets them. Checkpoints store
  // them.
  std::vector<float>* kept() { return &kept_; }

  const EngineInputs& inputs() const { return inputs_; }
  EpochContext Context(int epoch) const;
  // Returns a context in which training does not change the model, because the
  // learning rate of `still` is 0. Windows and noise words are the same in each
  // call.
  EpochContext LossContext(const TokenStream& text, TrainMonitor& still) const;
  // Returns the size of the pieces on which one thread trains before it calls
  // `pause` again.
  uint64_t PieceTokens(StreamPiece whole) const;

 private:
  const EngineInputs inputs_;
  TextRest rest_;
  std::vector<float> kept_;
};

// Bytes that an engine takes in addition to the model and the objective.
struct EngineMemory {
  uint64_t tables = 0;   // Copies of the model's tables.
  uint64_t workers = 0;  // Everything else.
};

// Creates engines of one kind, and answers questions about them in advance.
// `ranks` is null, and `shared` is false, if this process trains alone.
class EngineKind {
 public:
  virtual ~EngineKind() = default;

  // Returns whether this is the engine for these options. The first one in the
  // list of engines that fits is used.
  virtual bool Fits(const TrainOptions& options) const = 0;
  // Checks whether so many ranks can train together. Errors: InvalidArgument.
  virtual absl::Status CheckShared(const TrainOptions&, bool /*freeze*/,
                                   int /*ranks*/) const {
    return absl::OkStatus();
  }
  virtual int Threads(const TrainOptions& options) const = 0;
  virtual EngineMemory Memory(const TrainOptions&, const ModelShape&,
                              bool /*shared*/) const {
    return {};
  }
  // Returns the text that this rank trains on, given the part that it has read.
  // Errors: those of the ranks.
  virtual absl::StatusOr<Corpus> TextOf(const Corpus& read, Ranks*) const {
    return read;
  }
  // Returns the shape of the tables of this rank, given that of the model.
  virtual ModelShape ShapeOf(const ModelShape& model, const Ranks*) const {
    return model;
  }
  // Creates an engine. Errors: those of the ranks.
  virtual absl::StatusOr<std::unique_ptr<Engine>> Make(
      const EngineInputs& inputs, Ranks* ranks) const = 0;
};

// A kind of engine that other engines can use in each process.
class LocalEngineKind : public EngineKind {
 public:
  virtual std::unique_ptr<LocalEngine> MakeLocal(
      const EngineInputs& inputs) const = 0;
  absl::StatusOr<std::unique_ptr<Engine>> Make(const EngineInputs& inputs,
                                               Ranks*) const final {
    return MakeLocal(inputs);
  }
};

// Engines of a single process.
const LocalEngineKind& HogwildKind();
const LocalEngineKind& RoundsKind();
// Engines of several processes.
const EngineKind& ColumnsKind();
const EngineKind& ReplicasKind();

// Returns the kind of the engine that trains with these options.
const EngineKind& KindOf(const TrainOptions& options);

// Does the same, as if `distributed` were not set.
const LocalEngineKind& LocalKindOf(const TrainOptions& options);

// An option with which ranks cannot train together.
struct Refused {
  bool is_set = false;
  absl::string_view name;  // The option whose value the message contains.
  std::string expected;
};

// Checks that no option is refused. `way` is a value of `distributed`. Errors:
// InvalidArgument.
absl::Status CheckNone(absl::string_view way, TrainOptions options,
                       absl::Span<const Refused> all);

}  // namespace firth

#endif  // FIRTH_TRAIN_ENGINE_H_
