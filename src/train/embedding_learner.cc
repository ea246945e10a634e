// An epoch is a queue of pieces for Hogwild's workers, or rounds of slices. A
// pause leaves the queue where no piece is half done, so the position in the
// text and the tables are all that a training must remember.

#include "train/embedding_learner.h"

#include <omp.h>

#include <algorithm>
#include <cfloat>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/threads.h"
#include "distributed/agreement.h"
#include "distributed/divided_table.h"
#include "distributed/packing.h"
#include "firth/status_macros.h"
#include "train/embedding_checkpoint.h"
#include "train/normalization.h"
#include "train/piece_queue.h"
#include "train/rounds/train_rounds.h"
#include "train/train_shard.h"
#include "train/training_identity.h"

namespace firth {

namespace {

using Clock = std::chrono::steady_clock;

uint64_t CountWords(const TokenStream& stream, StreamPiece piece) {
  const auto tokens =
      stream.tokens().subspan(piece.begin, piece.end - piece.begin);
  return tokens.size() -
         static_cast<uint64_t>(std::count(tokens.begin(), tokens.end(),
                                          TokenStream::kSentenceEnd));
}

// Enough words to forget the cost of a start, few enough that a stop is soon:
// a full softmax takes milliseconds a word. Of a short text each thread is to
// have some.
uint64_t PieceTokens(const TrainOptions& options, StreamPiece whole,
                     int threads) {
  const bool slow =
      std::holds_alternative<FullSoftmaxOptions>(options.objective);
  const uint64_t most = slow ? 2048 : 16384;
  const uint64_t share =
      (whole.end - whole.begin) / (4 * static_cast<uint64_t>(threads));
  return std::clamp<uint64_t>(share, 256, most);
}

int ThreadsOf(const TrainOptions& options) {
  if (options.deterministic && !UsesRounds(options)) return 1;
  if (std::holds_alternative<ColumnsOptions>(options.distributed)) return 1;
  return NumThreads(options.threads);
}

StreamPiece HeldOut(const TrainOptions& options, const TokenStream& stream) {
  if (std::holds_alternative<NceOptions>(options.objective)) {
    return HeldOutPiece(stream);
  }
  return {stream.tokens().size(), stream.tokens().size()};
}

// Of sums whose loss is one of all examples.
double MeanLoss(const EpochReport& sums) {
  return sums.examples > 0 ? sums.loss / static_cast<double>(sums.examples) : 0;
}

TrainMonitor MonitorOf(const TrainOptions& options, uint64_t words) {
  const uint64_t total =
      std::max<uint64_t>(1, words * static_cast<uint64_t>(options.epochs));
  const double rate = options.learning_rate > 0 ? options.learning_rate
                                                : DefaultLearningRate(options);
  return {LearningRateSchedule(rate, options.min_learning_rate, total), total};
}

}  // namespace

EmbeddingLearner::EmbeddingLearner(EmbeddingTraining training)
    : Learner(kEmbeddingLearner, TableFor<TrainOptions>()),
      training_(std::move(training)),
      options_(training_.options),
      model_(training_.model),
      subsampler_(training_.corpus.vocabulary.counts(), options_.sample),
      held_out_(HeldOut(options_, stream())),
      trained_{0, held_out_.begin},
      trained_words_(stream().num_words() - CountWords(stream(), held_out_)),
      threads_(ThreadsOf(options_)),
      monitor_(MonitorOf(options_, training_.exchange != nullptr
                                       ? training_.text.words
                                       : trained_words_)) {
  held_out_words_ = stream().num_words() - trained_words_;
  BeginEpoch();
  if (training_.exchange != nullptr) {
    // It fails only after the ranks have given up, which Advance() tells.
    training_.ranks->Sum(absl::MakeSpan(&held_out_words_, 1)).IgnoreError();
    exchange_.emplace(model_, monitor_, training_.corpus.vocabulary.size(),
                      threads_,
                      std::get<ReplicasOptions>(options_.distributed).send,
                      std::move(training_.exchange));
  } else if (training_.ranks != nullptr) {
    scores_.emplace(*training_.ranks,
                    ColumnBatch(options_, training_.corpus.vocabulary.counts(),
                                subsampler_));
  }
  SetRateFactor(1);
}

bool EmbeddingLearner::has_share() const {
  return std::holds_alternative<ReplicasOptions>(options_.distributed);
}

void EmbeddingLearner::SetRateFactor(double factor) {
  monitor_.set_rate_factor(
      exchange_.has_value() ? factor * RateOfReplicas(training_.ranks->size())
                            : factor);
}

Json EmbeddingLearner::Identity() const {
  uint64_t text = TextSum(stream());
  if (has_share()) {
    text = SumOfShare(stream(), training_.text.words_before);
    // It fails only after the ranks have given up, which Advance() tells.
    if (training_.ranks != nullptr) {
      training_.ranks->Sum(absl::MakeSpan(&text, 1)).IgnoreError();
    }
  }
  return TrainingIdentity(options_, training_.corpus.vocabulary, text,
                          training_.initial, training_.validation);
}

bool EmbeddingLearner::done() const {
  return epoch_ >= static_cast<uint64_t>(options_.epochs);
}

absl::StatusOr<bool> EmbeddingLearner::Advance(RunControl& control) {
  const Clock::time_point start = Clock::now();
  monitor_.set_control(&control);
  const auto pause = [&] {
    return monitor_.aborted() || control.ShouldPause();
  };
  TrainedPart part =
      exchange_.has_value() ? TrainReplica(pause) : TrainRest(pause);
  if (has_share() && part.status.ok()) part.status = JoinRests(&part.done);
  sums_.loss += part.done.loss;
  sums_.examples += part.done.examples;
  sums_.seconds += std::chrono::duration<double>(Clock::now() - start).count();
  FIRTH_RETURN_IF_ERROR(part.status);
  if (has_share() ? !rest_of_all_.empty() : !rest_.empty()) return false;
  const std::function<absl::StatusOr<WordVectors>()> copy = [this] {
    return model_.Copy(training_.corpus.vocabulary);
  };
  control.EndEpoch({static_cast<int>(epoch_), MeanLoss(sums_),
                    training_.ranks == nullptr ? &copy : nullptr});
  return true;
}

TrainedPart EmbeddingLearner::TrainPiece(StreamPiece rest,
                                         const std::function<bool()>& pause) {
  if (scores_.has_value()) {
    return TrainColumns(Context(), rest,
                        PieceTokens(options_, trained_, threads_), pause,
                        *training_.ranks, *scores_);
  }
  if (UsesRounds(options_)) {
    return TrainRounds(Context(), training_.corpus.vocabulary.counts(), rest,
                       pause, &probes_);
  }
  return TrainPieces(rest, pause);
}

// Trains on what is left of the epoch, and leaves what is left after a pause.
TrainedPart EmbeddingLearner::TrainRest(const std::function<bool()>& pause) {
  TrainedPart all;
  while (!rest_.empty() && all.status.ok()) {
    StreamPiece& piece = rest_.front();
    const TrainedPart part = TrainPiece(piece, pause);
    all.done += part.done;
    all.status = part.status;
    piece.begin = part.end;
    if (piece.begin < piece.end) break;
    rest_.erase(rest_.begin());
  }
  return all;
}

// All ranks come here together, and leave together with the same tables.
TrainedPart EmbeddingLearner::TrainReplica(const std::function<bool()>& pause) {
  absl::Status talked;
  ReplicaExchange& exchange = *exchange_;
  exchange.Begin();
  std::thread talker([&] { talked = exchange.Run(); });
  TrainedPart part = TrainRest([&] {
    if (pause()) exchange.AskToPause();
    return exchange.ShouldPause();
  });
  exchange.EndWorkers(/*failed=*/!part.status.ok());
  talker.join();
  part.status.Update(talked);
  part.status = Agree(*training_.ranks, part.status);
  return part;
}

// Makes what this rank has done, and what is left, that of all ranks.
absl::Status EmbeddingLearner::JoinRests(WorkDone* done) {
  FIRTH_ASSIGN_OR_RETURN(
      rest_of_all_,
      RestOfAll(training_.ranks, rest_, stream().place().first_position));
  if (training_.ranks == nullptr) return absl::OkStatus();
  FIRTH_RETURN_IF_ERROR(training_.ranks->Sum(absl::MakeSpan(&done->loss, 1)));
  return training_.ranks->Sum(absl::MakeSpan(&done->examples, 1));
}

void EmbeddingLearner::BeginEpoch() {
  rest_.clear();
  if (trained_.begin < trained_.end) rest_.push_back(trained_);
  if (has_share()) {
    rest_of_all_.clear();
    if (training_.text.tokens > 0) {
      rest_of_all_.push_back({0, training_.text.tokens});
    }
  }
}

EpochContext EmbeddingLearner::Context() {
  return {options_,
          stream(),
          subsampler_,
          training_.tables,
          model_,
          monitor_,
          static_cast<int>(epoch_),
          threads_};
}

TrainedPart EmbeddingLearner::TrainPieces(StreamPiece rest,
                                          const std::function<bool()>& pause) {
  const EpochContext context = Context();
  PieceQueue pieces(rest, PieceTokens(options_, trained_, threads_));
  TrainedPart part;
#pragma omp parallel num_threads(threads_)
  {
    const auto thread = static_cast<size_t>(omp_get_thread_num());
    const auto next_piece = [&]() -> std::optional<StreamPiece> {
      if (pause()) return std::nullopt;
      return pieces.Next();
    };
    Worker worker(context, next_piece, thread);
    TrainShard(worker);
#pragma omp critical
    {
      part.status.Update(worker.status());
      part.done += worker.done();
    }
  }
  part.end = pieces.position();
  return part;
}

void EmbeddingLearner::EndEpoch() {
  sums_.loss = MeanLoss(sums_);
  if (model_.has_output_bias()) {
    sums_.normalization = MeasureNormalization(stream(), subsampler_, held_out_,
                                               options_, model_);
  }
  epochs_.push_back(sums_);
  sums_ = {};
  ++epoch_;
  BeginEpoch();
}

// The loss of a text on which the model stays as it is. Replicas have a share
// of its pieces each.
absl::StatusOr<WorkDone> EmbeddingLearner::StepNowhere(
    const EpochContext& context, StreamPiece whole) {
  const uint64_t tokens = PieceTokens(options_, whole, threads_);
  if (scores_.has_value()) {
    const auto go_on = [] { return false; };
    const TrainedPart part =
        TrainColumns(context, whole, tokens, go_on, *training_.ranks, *scores_);
    FIRTH_RETURN_IF_ERROR(part.status);
    return part.done;
  }
  const uint64_t first = exchange_.has_value() ? training_.ranks->rank() : 0;
  const uint64_t every = exchange_.has_value() ? training_.ranks->size() : 1;
  std::vector<WorkDone> pieces((whole.end + tokens - 1) / tokens);
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
  for (size_t i = first; i < pieces.size(); i += every) {
    const uint64_t begin = i * tokens;
    Worker worker(context,
                  OnePiece({begin, std::min(begin + tokens, whole.end)}),
                  static_cast<size_t>(omp_get_thread_num()));
    TrainShard(worker);
    pieces[i] = worker.done();
  }
  WorkDone all;
  for (const WorkDone& piece : pieces) all += piece;
  return all;
}

// At a learning rate of 0 nothing moves, whoever steps on it at the same time.
absl::StatusOr<std::optional<double>> EmbeddingLearner::HeldOutLoss() {
  const TokenStream& text = *training_.validation.text->tokens;
  const StreamPiece whole{0, text.tokens().size()};
  TrainMonitor still(LearningRateSchedule(0, 0, 1), 1);
  // Windows and noise are drawn alike after each epoch.
  const EpochContext context{options_,         text,    subsampler_,
                             training_.tables, model_,  still,
                             /*epoch=*/-1,     threads_};
  FIRTH_ASSIGN_OR_RETURN(WorkDone done, StepNowhere(context, whole));
  if (exchange_.has_value()) {
    FIRTH_RETURN_IF_ERROR(training_.ranks->Sum(absl::MakeSpan(&done.loss, 1)));
    FIRTH_RETURN_IF_ERROR(
        training_.ranks->Sum(absl::MakeSpan(&done.examples, 1)));
  }
  if (done.examples == 0) return std::nullopt;  // all thinned out
  return done.loss / static_cast<double>(done.examples);
}

// The first rank measures for all, so that they decide alike.
absl::StatusOr<double> EmbeddingLearner::Score() {
  const Vocabulary& vocabulary = training_.corpus.vocabulary;
  FloatTable whole;
  if (scores_.has_value()) {
    FIRTH_ASSIGN_OR_RETURN(
        whole,
        JoinColumns(*training_.ranks,
                    FloatTable(ConstView<float>(model_.input().Quiet().view())),
                    static_cast<size_t>(options_.dim), training_.score_file));
  }
  absl::StatusOr<double> score = 0;
  if (is_first_rank()) {
    const absl::StatusOr<WordVectors> vectors =
        scores_.has_value() ? WordVectors::Create(vocabulary, std::move(whole))
                            : model_.Snapshot(vocabulary);
    score =
        vectors.ok() ? training_.validation.score(*vectors) : vectors.status();
  }
  if (training_.ranks == nullptr) return score;
  std::string text;
  if (score.ok()) Pack(*score, &text);
  FIRTH_RETURN_IF_ERROR(TakeFromFirst(*training_.ranks, score.status(), &text));
  absl::string_view packed = text;
  return Unpack<double>(&packed);
}

absl::StatusOr<std::string> EmbeddingLearner::Measure() {
  const Validation& validation = training_.validation;
  std::string line;
  if (validation.enabled()) {
    line = absl::StrCat("  valid    epoch ", epoch_ + 1, ":");
  }
  if (validation.text != nullptr) {
    FIRTH_ASSIGN_OR_RETURN(sums_.held_out_loss, HeldOutLoss());
    if (sums_.held_out_loss.has_value()) {
      absl::StrAppendFormat(&line, " loss %.4f", *sums_.held_out_loss);
    } else {
      line += " no loss, since --sample dropped all words";
    }
  }
  if (validation.score) {
    FIRTH_ASSIGN_OR_RETURN(sums_.score, Score());
    absl::StrAppendFormat(&line, " score %.2f", *sums_.score);
  }
  EndEpoch();
  return line;
}

std::vector<std::optional<double>> EmbeddingLearner::Scores() const {
  std::vector<std::optional<double>> scores;
  for (const EpochReport& epoch : epochs_) {
    std::optional<double> score = epoch.score;
    if (!score.has_value() && epoch.held_out_loss.has_value()) {
      score = -*epoch.held_out_loss;
    }
    scores.push_back(score);
  }
  return scores;
}

std::vector<NamedTensor> EmbeddingLearner::Learnt() {
  std::vector<NamedTensor> tensors;
  const auto add = [&](const char* name, PaddedMatrix& table) {
    if (table.rows() == 0) return;
    tensors.push_back(
        {name, table.data(), table.rows(), table.cols(), table.stride()});
    if (!scores_.has_value()) return;
    tensors.back().whole_cols = static_cast<size_t>(options_.dim);
    tensors.back().first_col = model_.first_column();
  };
  add("input", model_.input().Quiet());
  add("output", model_.output().Quiet());
  add("output_bias", model_.output_bias().Quiet());
  add("position_weights", model_.position_weights().Quiet());
  return tensors;
}

void EmbeddingLearner::AddConstants(CheckedWriter* writer) const {
  AddVocabulary(training_.corpus.vocabulary, writer);
}

Json EmbeddingLearner::State() const {
  Json state = {{"epoch", epoch_},
                {"words", std::min(position(), total())},
                {"probes", probes_},
                {"sums", sums_},
                {"epochs", epochs_}};
  if (has_share()) {
    state["rest"] = JsonOfRest(rest_of_all_);
  } else {
    state["token"] =
        (rest_.empty() ? trained_.end : rest_.front().begin) - trained_.begin;
  }
  return state;
}

absl::Status EmbeddingLearner::SetRest(const Json& state) {
  if (has_share()) {
    FIRTH_ASSIGN_OR_RETURN(rest_of_all_,
                           RestOfJson(state.at("rest"), training_.text.tokens));
    rest_ = RestInShare(rest_of_all_, stream().place().first_position,
                        trained_.end);
    return absl::OkStatus();
  }
  const uint64_t token = CountAt(state, "token", trained_.end - trained_.begin);
  rest_.clear();
  if (trained_.begin + token < trained_.end) {
    rest_.push_back({trained_.begin + token, trained_.end});
  }
  return absl::OkStatus();
}

absl::Status EmbeddingLearner::SetState(const Json& state) {
  epoch_ = CountAt(state, "epoch", static_cast<uint64_t>(options_.epochs));
  FIRTH_RETURN_IF_ERROR(SetRest(state));
  // What was trained before is the first rank's.
  const uint64_t words = CountAt(state, "words", total());
  monitor_.GoOnFrom(is_first_rank() || !exchange_.has_value() ? words : 0);
  if (exchange_.has_value()) {
    monitor_.set_words_of_others(is_first_rank() ? 0 : words);
    exchange_->Restart();
  }
  state.at("sums").get_to(sums_);
  state.at("epochs").get_to(epochs_);
  const auto probes = state.at("probes").get<std::vector<double>>();
  const bool are_floats =
      std::all_of(probes.begin(), probes.end(),
                  [](double probe) { return std::abs(probe) <= FLT_MAX; });
  if (!are_floats || epochs_.size() != epoch_ ||
      (!probes.empty() && probes.size() != 2 * model_.dim())) {
    return absl::DataLossError(absl::StrCat(
        "state: expected ", epoch_, " epochs, and 0 or ", 2 * model_.dim(),
        " finite probes, found ", epochs_.size(), " and ", probes.size()));
  }
  probes_.assign(probes.begin(), probes.end());
  return absl::OkStatus();
}

TrainReport EmbeddingLearner::Report(const RunReport& run) const {
  TrainReport report;
  report.threads = threads_;
  if (training_.ranks != nullptr) report.ranks = training_.ranks->size();
  if (scores_.has_value()) report.communication_seconds = scores_->seconds();
  if (exchange_.has_value()) {
    report.communication_seconds = exchange_->seconds();
    report.rate_of_ranks = RateOfReplicas(report.ranks);
  }
  report.held_out_words = held_out_words_;
  report.epochs = epochs_;
  if (sums_.examples > 0) {  // of an epoch that was interrupted
    report.epochs.push_back(sums_);
    report.epochs.back().loss = MeanLoss(sums_);
  }
  report.best_epoch = run.best;
  report.stopped_early = run.stopped_early;
  report.interrupted = run.interrupted;
  report.words = position();
  report.resumed_words = run.first_position;
  report.seconds = run.seconds;
  report.words_per_second =
      static_cast<double>(report.words - run.first_position) /
      std::max(run.training_seconds, 1e-9);
  report.checkpoints = run.checkpoints;
  report.checkpoint_seconds = run.checkpoint_seconds;
  return report;
}

}  // namespace firth
