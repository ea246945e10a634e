// EmbeddingLearner: the training of word vectors, as a Run drives it.

#ifndef FIRTH_TRAIN_EMBEDDING_LEARNER_H_
#define FIRTH_TRAIN_EMBEDDING_LEARNER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "corpus/token_stream.h"
#include "distributed/divided_table.h"
#include "firth/corpus.h"
#include "firth/train.h"
#include "model/embedding_model.h"
#include "objective/objective_tables.h"
#include "run/learner.h"
#include "run/run.h"
#include "train/columns/train_columns.h"
#include "train/replicas/replica_exchange.h"
#include "train/replicas/text_rest.h"
#include "train/sentence_reader.h"
#include "train/train_monitor.h"
#include "train/worker.h"
#include "vocab/subsampler.h"

namespace firth {

// What a training of word vectors is given. Borrowed throughout.
struct EmbeddingTraining {
  const TrainOptions& options;
  const Corpus& corpus;
  const InitialVectors& initial;
  const Validation& validation;
  const ObjectiveTables& tables;
  EmbeddingModel& model;
  Ranks* ranks = nullptr;  // null: it works alone
  // A channel of its own for the exchanges of replicas; else null.
  std::unique_ptr<Ranks> exchange = nullptr;
  SharedText text = {};  // that the corpus's tokens are of
  // With columns, the file in which rank 0 joins vectors to score them. If
  // null, a new file is used.
  TableFile* score_file = nullptr;
};

// Workers take pieces of the text, one after another, and step on the shared
// tables as if they were alone (Niu et al. 2011, "Hogwild!"); with one thread
// the result depends on the seed alone. Between two pieces a worker keeps
// nothing: there the training can stop, be saved, and go on. Or they work in
// rounds (see train/rounds), and the number of threads does not matter, or with
// other ranks (see train/columns). The points to measure at are the ends of
// epochs.
class EmbeddingLearner final : public Learner {
 public:
  explicit EmbeddingLearner(EmbeddingTraining training);

  nlohmann::json Identity() const override;

  absl::StatusOr<bool> Advance(RunControl& control) override;
  bool done() const override;
  uint64_t position() const override {
    return monitor_.words() + monitor_.words_of_others();
  }
  uint64_t total() const override { return monitor_.total_words(); }

  absl::StatusOr<std::string> Measure() override;
  std::vector<std::optional<double>> Scores() const override;

  std::vector<NamedTensor> Learnt() override;
  void AddConstants(CheckedWriter* writer) const override;
  nlohmann::json State() const override;
  absl::Status SetState(const nlohmann::json& state) override;
  void SetRateFactor(double factor) override;

  TrainReport Report(const RunReport& run) const;

 private:
  const TokenStream& stream() const { return *training_.corpus.tokens; }
  bool is_first_rank() const {
    return training_.ranks == nullptr || training_.ranks->rank() == 0;
  }
  // Of replicas: the share of the text may change from one run to the next.
  bool has_share() const;
  EpochContext Context();
  void BeginEpoch();
  TrainedPart TrainPieces(StreamPiece rest, const std::function<bool()>& pause);
  TrainedPart TrainPiece(StreamPiece rest, const std::function<bool()>& pause);
  TrainedPart TrainRest(const std::function<bool()>& pause);
  TrainedPart TrainReplica(const std::function<bool()>& pause);
  absl::Status JoinRests(WorkDone* done);
  absl::Status SetRest(const nlohmann::json& state);
  void EndEpoch();
  absl::StatusOr<WorkDone> StepNowhere(const EpochContext& context,
                                       StreamPiece whole);
  // Nothing if no word is left to predict.
  absl::StatusOr<std::optional<double>> HeldOutLoss();
  absl::StatusOr<double> Score();

  EmbeddingTraining training_;
  const TrainOptions& options_;
  EmbeddingModel& model_;
  const Subsampler subsampler_;
  StreamPiece held_out_;  // empty but for NCE
  StreamPiece trained_;
  uint64_t trained_words_;
  uint64_t held_out_words_;  // of all ranks
  int threads_;
  TrainMonitor monitor_;
  uint64_t epoch_ = 0;               // the present one, from 0
  TextRest rest_;                    // of it, in the tokens of the stream
  TextRest rest_of_all_;             // of replicas: in those of the whole text
  EpochReport sums_;                 // of the present epoch; loss: a sum
  std::vector<EpochReport> epochs_;  // that are over
  std::vector<float> probes_;        // of rounds; empty: none yet
  std::optional<ScoreExchange> scores_;  // of columns
  std::optional<ReplicaExchange> exchange_;
};

}  // namespace firth

#endif  // FIRTH_TRAIN_EMBEDDING_LEARNER_H_
