// The engine for `distributed replicas`: each rank trains on its share of the
// text with the engine of a single process, and a thread exchanges rows with
// the other ranks. See train/replicas/replica_exchange.h.
//
// A checkpoint contains the rest of the epoch in positions of the whole text,
// so that a different number of ranks can resume it. This also holds if this
// process trains alone.

#include <memory>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "distributed/agreement.h"
#include "firth/status_macros.h"
#include "train/embedding_checkpoint.h"
#include "train/engine.h"
#include "train/replicas/replica_exchange.h"
#include "train/replicas/text_rest.h"

namespace firth {
namespace {

class ReplicasEngine final : public Engine {
 public:
  // `ranks` and `exchange` are null if this process trains alone.
  ReplicasEngine(const EngineInputs& inputs, Ranks* ranks,
                 const SharedText& text, std::unique_ptr<LocalEngine> own,
                 std::unique_ptr<ReplicaExchange> exchange)
      : inputs_(inputs),
        ranks_(ranks),
        text_(text),
        own_(std::move(own)),
        exchange_(std::move(exchange)) {}

  void BeginEpoch() override;
  absl::Status Train(int epoch, const PauseFunction& pause,
                     WorkDone* done) override;
  bool EpochIsDone() const override { return rest_.empty(); }
  absl::StatusOr<WorkDone> Loss(const TokenStream& text) override;
  absl::StatusOr<double> Score(const ScoreFunction& score) override;
  bool OwnsModel() const override { return exchange_ == nullptr; }
  std::vector<NamedTensor> Tensors() override { return own_->Tensors(); }
  void Restored(uint64_t words) override;
  void AddState(nlohmann::json* state) const override;
  absl::Status SetState(const nlohmann::json& state) override;
  void SetRateFactor(double factor) override {
    own_->SetRateFactor(exchange_ != nullptr
                            ? factor * RateOfReplicas(ranks().size())
                            : factor);
  }
  uint64_t TextSum() const override;
  absl::Status SumOverText(absl::Span<uint64_t> values) override {
    return exchange_ != nullptr ? ranks().Sum(values) : absl::OkStatus();
  }
  void Report(TrainReport* report) const override;
  absl::Status Finish(TrainedModel* trained) override;

 private:
  Ranks& ranks() const { return *ranks_; }
  bool is_first() const { return ranks().rank() == 0; }
  absl::Status TrainAndExchange(int epoch, const PauseFunction& pause,
                                WorkDone* done);
  absl::Status JoinRests(WorkDone* done);

  const EngineInputs inputs_;
  Ranks* const ranks_;
  const SharedText text_;
  const std::unique_ptr<LocalEngine> own_;
  const std::unique_ptr<ReplicaExchange> exchange_;
  TextRest rest_;  // Of all ranks, in positions of the whole text.
};

void ReplicasEngine::BeginEpoch() {
  own_->BeginEpoch();
  rest_.clear();
  if (text_.tokens > 0) rest_.push_back({0, text_.tokens});
}

absl::Status ReplicasEngine::Train(int epoch, const PauseFunction& pause,
                                   WorkDone* done) {
  WorkDone part;
  absl::Status status = exchange_ != nullptr
                            ? TrainAndExchange(epoch, pause, &part)
                            : own_->Train(epoch, pause, &part);
  if (status.ok()) status = JoinRests(&part);
  *done += part;
  return status;
}

// Trains and exchanges rows. All ranks begin and end with the same tables.
absl::Status ReplicasEngine::TrainAndExchange(int epoch,
                                              const PauseFunction& pause,
                                              WorkDone* done) {
  absl::Status exchanged;
  exchange_->Begin();
  std::thread talker([&] { exchanged = exchange_->Run(); });
  absl::Status status = own_->Train(
      epoch,
      [&] {
        if (pause()) exchange_->AskToPause();
        return exchange_->ShouldPause();
      },
      done);
  exchange_->EndWorkers(/*failed=*/!status.ok());
  talker.join();
  status.Update(exchanged);
  return Agree(&ranks(), status);
}

// Replaces the work done by that of all ranks, and updates the rest of the
// whole text.
absl::Status ReplicasEngine::JoinRests(WorkDone* done) {
  FIRTH_ASSIGN_OR_RETURN(
      rest_,
      RestOfAll(ranks_, own_->rest(), inputs_.stream().place().first_position));
  if (exchange_ == nullptr) return absl::OkStatus();
  FIRTH_RETURN_IF_ERROR(ranks().Sum(absl::MakeSpan(&done->loss, 1)));
  return ranks().Sum(absl::MakeSpan(&done->examples, 1));
}

absl::StatusOr<WorkDone> ReplicasEngine::Loss(const TokenStream& text) {
  if (exchange_ == nullptr) return own_->Loss(text);
  WorkDone done = own_->LossOfShare(text, static_cast<uint64_t>(ranks().rank()),
                                    static_cast<uint64_t>(ranks().size()));
  FIRTH_RETURN_IF_ERROR(ranks().Sum(absl::MakeSpan(&done.loss, 1)));
  FIRTH_RETURN_IF_ERROR(ranks().Sum(absl::MakeSpan(&done.examples, 1)));
  return done;
}

absl::StatusOr<double> ReplicasEngine::Score(const ScoreFunction& score) {
  if (exchange_ == nullptr) return own_->Score(score);
  return NumberOfFirst(ranks(), [&] { return own_->Score(score); });
}

// The words trained before are counted as work of the first rank.
void ReplicasEngine::Restored(uint64_t words) {
  const bool counts_here = exchange_ == nullptr || is_first();
  own_->Restored(counts_here ? words : 0);
  if (exchange_ == nullptr) return;
  inputs_.monitor.set_words_of_others(counts_here ? 0 : words);
  exchange_->Restart();
}

void ReplicasEngine::AddState(nlohmann::json* state) const {
  own_->AddState(state);
  state->erase("token");
  (*state)["rest"] = JsonOfRest(rest_);
}

absl::Status ReplicasEngine::SetState(const nlohmann::json& state) {
  nlohmann::json own = state;
  own["token"] = uint64_t{0};
  FIRTH_RETURN_IF_ERROR(own_->SetState(own));
  FIRTH_ASSIGN_OR_RETURN(rest_, RestOfJson(state.at("rest"), text_.tokens));
  own_->set_rest(RestInShare(rest_, inputs_.stream().place().first_position,
                             inputs_.trained.end));
  return absl::OkStatus();
}

uint64_t ReplicasEngine::TextSum() const {
  uint64_t sum = SumOfShare(inputs_.stream(), text_.words_before);
  // Fails only after the ranks have given up, which Train() reports.
  if (exchange_ != nullptr) {
    ranks().Sum(absl::MakeSpan(&sum, 1)).IgnoreError();
  }
  return sum;
}

void ReplicasEngine::Report(TrainReport* report) const {
  if (exchange_ == nullptr) return;
  report->ranks = ranks().size();
  report->communication_seconds = exchange_->seconds();
  report->rate_of_ranks = RateOfReplicas(report->ranks);
}

absl::Status ReplicasEngine::Finish(TrainedModel* trained) {
  if (exchange_ == nullptr || is_first()) return absl::OkStatus();
  TrainedModel report_alone;
  report_alone.report = std::move(trained->report);
  *trained = std::move(report_alone);
  return absl::OkStatus();
}

class ReplicasEngineKind final : public EngineKind {
 public:
  bool Fits(const TrainOptions& options) const override {
    return std::holds_alternative<ReplicasOptions>(options.distributed);
  }
  absl::Status CheckShared(const TrainOptions& options, bool /*freeze*/,
                           int /*ranks*/) const override {
    return CheckNone("replicas", options,
                     {{!options.views.empty(), "views", "no views"},
                      {options.deterministic, "deterministic",
                       "deterministic false (columns are deterministic)"}});
  }
  int Threads(const TrainOptions& options) const override {
    return LocalKindOf(options).Threads(options);
  }
  // The exchange keeps a copy of the tables as of the last exchange.
  EngineMemory Memory(const TrainOptions& options, const ModelShape& shape,
                      bool shared) const override {
    EngineMemory memory = LocalKindOf(options).Memory(options, shape, false);
    if (shared) memory.tables += ModelBytes(shape);
    return memory;
  }
  absl::StatusOr<Corpus> TextOf(const Corpus& read,
                                Ranks* ranks) const override {
    Corpus own = read;
    if (ranks == nullptr) return own;
    FIRTH_ASSIGN_OR_RETURN(own.tokens, PlaceStream(*ranks, read.tokens));
    return own;
  }
  absl::StatusOr<std::unique_ptr<Engine>> Make(const EngineInputs& inputs,
                                               Ranks* ranks) const override;
};

absl::StatusOr<std::unique_ptr<Engine>> ReplicasEngineKind::Make(
    const EngineInputs& inputs, Ranks* ranks) const {
  FIRTH_ASSIGN_OR_RETURN(const SharedText text,
                         SharedTextOf(ranks, inputs.stream()));
  std::unique_ptr<ReplicaExchange> exchange;
  if (ranks != nullptr) {
    inputs.monitor.set_schedule(ScheduleFor(inputs.options, text.words));
    FIRTH_ASSIGN_OR_RETURN(std::unique_ptr<Ranks> channel, ranks->Another());
    exchange = std::make_unique<ReplicaExchange>(
        inputs.model, inputs.monitor, inputs.corpus.vocabulary.size(),
        inputs.threads,
        std::get<ReplicasOptions>(inputs.options.distributed).send,
        std::move(channel));
  }
  return std::make_unique<ReplicasEngine>(
      inputs, ranks, text, LocalKindOf(inputs.options).MakeLocal(inputs),
      std::move(exchange));
}

}  // namespace

const EngineKind& ReplicasKind() {
  static const ReplicasEngineKind kind;
  return kind;
}

}  // namespace firth
