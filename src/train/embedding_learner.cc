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
#include "firth/status_macros.h"
#include "io/codecs/vector_rows.h"
#include "io/tensors/checked_tensors.h"
#include "train/normalization.h"
#include "train/piece_queue.h"
#include "train/rounds/train_rounds.h"
#include "train/train_shard.h"
#include "train/training_identity.h"

namespace firth {

static Json OrNull(const std::optional<double>& number) {
  return number.has_value() ? JsonOfNumber(*number) : Json();
}
static std::optional<double> NumberOf(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return NumberOfJson(json);
}

// The JSON library finds these by their names.
static void to_json(Json& json, const EpochReport& epoch) {
  json = {{"loss", JsonOfNumber(epoch.loss)},
          {"examples", epoch.examples},
          {"seconds", epoch.seconds},
          {"held_out_loss", OrNull(epoch.held_out_loss)},
          {"score", OrNull(epoch.score)},
          {"normalization",
           {epoch.normalization.windows,
            JsonOfNumber(epoch.normalization.mean_ln_z),
            JsonOfNumber(epoch.normalization.stddev_ln_z),
            JsonOfNumber(epoch.normalization.perplexity)}}};
}
static void from_json(const Json& json, EpochReport& epoch) {
  epoch.loss = NumberOfJson(json.at("loss"));
  epoch.examples = CountAt(json, "examples");
  json.at("seconds").get_to(epoch.seconds);
  epoch.held_out_loss = NumberOf(json.at("held_out_loss"));
  epoch.score = NumberOf(json.at("score"));
  const Json& normalization = json.at("normalization");
  epoch.normalization = {
      CountAt(normalization, 0), NumberOfJson(normalization.at(1)),
      NumberOfJson(normalization.at(2)), NumberOfJson(normalization.at(3))};
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr char kName[] = "word vectors";
constexpr char kWords[] = "vocabulary";
constexpr char kCounts[] = "counts";

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

TrainMonitor MonitorOf(const TrainOptions& options, uint64_t words) {
  const uint64_t total =
      std::max<uint64_t>(1, words * static_cast<uint64_t>(options.epochs));
  const double rate = options.learning_rate > 0 ? options.learning_rate
                                                : DefaultLearningRate(options);
  return {LearningRateSchedule(rate, options.min_learning_rate, total), total};
}

absl::StatusOr<std::vector<FileFact>> FactsOf(const CheckedReader& reader,
                                              const Json& training,
                                              const Json& state) {
  FIRTH_ASSIGN_OR_RETURN(const Vocabulary words,
                         reader.ReadWords(kWords, kCounts));
  const uint64_t epochs = CountAt(training, "epochs");
  const double total =
      static_cast<double>(epochs) * static_cast<double>(words.total_count());
  const uint64_t done = CountAt(state, "words");
  const Json& over = state.at("epochs");
  std::vector<FileFact> facts = {
      {"words", uint64_t{words.size()}},
      {"dim", CountAt(training, "dim")},
      {"epochs", epochs},
      {"epochs_done", uint64_t{over.size()}},
      {"words_done", done},
      {"share_done", static_cast<double>(done) / std::max(total, 1.0)},
      {"rate_factor", state.at("rate_factor").get<double>()},
      {"has_best", reader.Has("best.input")}};
  if (!over.empty())
    facts.push_back({"loss", over.back().get<EpochReport>().loss});
  return facts;
}

}  // namespace

EmbeddingLearner::EmbeddingLearner(EmbeddingTraining training)
    : Learner(kName, TableFor<TrainOptions>()),
      training_(std::move(training)),
      options_(training_.options),
      model_(training_.model),
      subsampler_(training_.corpus.vocabulary.counts(), options_.sample),
      held_out_(HeldOut(options_, stream())),
      trained_{0, held_out_.begin},
      trained_words_(stream().num_words() - CountWords(stream(), held_out_)),
      threads_(ThreadsOf(options_)),
      monitor_(MonitorOf(options_, training_.exchange != nullptr
                                       ? training_.words_of_all
                                       : trained_words_)) {
  if (training_.exchange != nullptr) {
    monitor_.set_rate_factor(RateOfReplicas(training_.ranks->size()));
    exchange_.emplace(model_, monitor_, threads_,
                      std::move(training_.exchange));
  } else if (training_.ranks != nullptr) {
    scores_.emplace(*training_.ranks);
  }
}

Json EmbeddingLearner::Identity() const {
  return TrainingIdentity(options_, training_.corpus, training_.initial,
                          training_.validation);
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
  const TrainedPart part = TrainPart(pause);
  token_ = part.end - trained_.begin;
  sums_.loss += part.done.loss;
  sums_.examples += part.done.examples;
  sums_.seconds += std::chrono::duration<double>(Clock::now() - start).count();
  FIRTH_RETURN_IF_ERROR(part.status);
  return !AnyRank(exchange_.has_value() ? training_.ranks : nullptr,
                  RestOfEpoch().begin != trained_.end);
}

TrainedPart EmbeddingLearner::TrainPart(const std::function<bool()>& pause) {
  if (scores_.has_value()) {
    return TrainColumns(Context(), RestOfEpoch(),
                        PieceTokens(options_, trained_, threads_), pause,
                        *training_.ranks, *scores_);
  }
  if (exchange_.has_value()) return TrainReplica(pause);
  if (UsesRounds(options_)) {
    return TrainRounds(Context(), training_.corpus.vocabulary.counts(),
                       RestOfEpoch(), pause, &probes_);
  }
  return TrainPieces(pause);
}

// All ranks come here together, and leave together with the same tables.
TrainedPart EmbeddingLearner::TrainReplica(const std::function<bool()>& pause) {
  absl::Status talked;
  ReplicaExchange& exchange = *exchange_;
  exchange.Begin();
  std::thread talker([&] { talked = exchange.Run(); });
  TrainedPart part = TrainPieces([&] {
    if (pause()) exchange.AskToPause();
    return exchange.ShouldPause();
  });
  exchange.EndWorkers(/*failed=*/!part.status.ok());
  talker.join();
  part.status.Update(talked);
  part.status = Agree(*training_.ranks, part.status);
  return part;
}

// Makes the loss of the epoch that of all ranks.
absl::Status EmbeddingLearner::AddRanksToSums() {
  if (!exchange_.has_value()) return absl::OkStatus();
  FIRTH_RETURN_IF_ERROR(training_.ranks->Sum(absl::MakeSpan(&sums_.loss, 1)));
  return training_.ranks->Sum(absl::MakeSpan(&sums_.examples, 1));
}

StreamPiece EmbeddingLearner::RestOfEpoch() const {
  return {trained_.begin + token_, trained_.end};
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

TrainedPart EmbeddingLearner::TrainPieces(const std::function<bool()>& pause) {
  const EpochContext context = Context();
  PieceQueue pieces(RestOfEpoch(), PieceTokens(options_, trained_, threads_));
  TrainedPart part;
#pragma omp parallel num_threads(threads_)
  {
    const auto thread = static_cast<size_t>(omp_get_thread_num());
    WorkDone done;
    absl::Status failed;
    while (!pause()) {
      const std::optional<StreamPiece> piece = pieces.Next();
      if (!piece.has_value()) break;
      Worker worker(context, *piece, thread);
      TrainShard(worker);
      failed.Update(worker.status());
      done.loss += worker.done().loss;
      done.examples += worker.done().examples;
    }
#pragma omp critical
    {
      part.status.Update(failed);
      part.done.loss += done.loss;
      part.done.examples += done.examples;
    }
  }
  part.end = pieces.position();
  return part;
}

void EmbeddingLearner::EndEpoch() {
  if (sums_.examples > 0) sums_.loss /= static_cast<double>(sums_.examples);
  if (model_.has_output_bias()) {
    sums_.normalization = MeasureNormalization(stream(), subsampler_, held_out_,
                                               options_, model_);
  }
  epochs_.push_back(sums_);
  sums_ = {};
  token_ = 0;
  ++epoch_;
}

// At a learning rate of 0 nothing moves, whoever steps on it at the same time.
std::optional<double> EmbeddingLearner::HeldOutLoss() {
  const TokenStream& text = *training_.validation.text->tokens;
  const StreamPiece whole{0, text.tokens().size()};
  TrainMonitor still(LearningRateSchedule(0, 0, 1), 1);
  // Windows and noise are drawn alike after each epoch.
  const EpochContext context{options_,         text,    subsampler_,
                             training_.tables, model_,  still,
                             /*epoch=*/-1,     threads_};
  const uint64_t tokens = PieceTokens(options_, whole, threads_);
  std::vector<WorkDone> pieces((whole.end + tokens - 1) / tokens);
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
  for (size_t i = 0; i < pieces.size(); ++i) {
    const uint64_t begin = i * tokens;
    Worker worker(context, {begin, std::min(begin + tokens, whole.end)},
                  static_cast<size_t>(omp_get_thread_num()));
    TrainShard(worker);
    pieces[i] = worker.done();
  }
  double loss = 0;
  double examples = 0;
  for (const WorkDone& piece : pieces) {
    loss += piece.loss;
    examples += static_cast<double>(piece.examples);
  }
  if (examples == 0) return std::nullopt;  // all thinned out
  return loss / examples;
}

absl::StatusOr<std::string> EmbeddingLearner::Measure() {
  const Validation& validation = training_.validation;
  FIRTH_RETURN_IF_ERROR(AddRanksToSums());
  std::string line;
  if (validation.enabled()) {
    line = absl::StrCat("  valid    epoch ", epoch_ + 1, ":");
  }
  if (validation.text != nullptr) {
    sums_.held_out_loss = HeldOutLoss();
    if (sums_.held_out_loss.has_value()) {
      absl::StrAppendFormat(&line, " loss %.4f", *sums_.held_out_loss);
    } else {
      line += " no loss, as --sample left no words";
    }
  }
  if (validation.score) {
    FIRTH_ASSIGN_OR_RETURN(const WordVectors vectors,
                           model_.Snapshot(training_.corpus.vocabulary));
    FIRTH_ASSIGN_OR_RETURN(sums_.score, validation.score(vectors));
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
  const auto add = [&tensors](const char* name, PaddedMatrix& table) {
    if (table.rows() == 0) return;
    tensors.push_back(
        {name, table.data(), table.rows(), table.cols(), table.stride()});
  };
  add("input", model_.input().Quiet());
  add("output", model_.output().Quiet());
  add("output_bias", model_.output_bias().Quiet());
  add("position_weights", model_.position_weights().Quiet());
  return tensors;
}

void EmbeddingLearner::AddConstants(CheckedWriter* writer) const {
  const Vocabulary& vocabulary = training_.corpus.vocabulary;
  writer->AddWords(kWords, vocabulary);
  writer->Add(kCounts, "I64", BytesOf(vocabulary.counts()));
}

Json EmbeddingLearner::State() const {
  return {{"epoch", epoch_},   {"token", token_}, {"words", monitor_.words()},
          {"probes", probes_}, {"sums", sums_},   {"epochs", epochs_}};
}

absl::Status EmbeddingLearner::SetState(const Json& state) {
  epoch_ = CountAt(state, "epoch", static_cast<uint64_t>(options_.epochs));
  token_ = CountAt(state, "token", trained_.end - trained_.begin);
  monitor_.GoOnFrom(CountAt(state, "words", total()));
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
  }
  report.held_out_words = stream().num_words() - trained_words_;
  report.epochs = epochs_;
  if (sums_.examples > 0) {  // of an epoch that was interrupted
    report.epochs.push_back(sums_);
    report.epochs.back().loss /= static_cast<double>(sums_.examples);
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

absl::StatusOr<std::optional<FileInfo>> DescribeEmbeddingCheckpoint(
    const MappedFilePtr& file) {
  return DescribeCheckpointOf(kName, file, FactsOf);
}

}  // namespace firth
