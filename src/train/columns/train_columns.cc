// This file is compiled once per instruction set. Windows, objective and kernel
// are those of train_shard.cc, but a step waits for the scores of all ranks.

#include "train/columns/train_columns.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "simd/targets.h"
#include "train/window.h"
#include "train/worker.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/columns/train_columns.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "objective/objectives-inl.h"
#include "train/architectures-inl.h"
#include "train/columns/column_stepper-inl.h"
#include "train/inputs-inl.h"
#include "train/run_trainer-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// The windows of one stretch of the text, in order.
//
// Adjacent windows have most of their words in common. If they were in the same
// exchange, a word would take the steps of all the windows that contain it from
// the same scores, ten times what one window would do. The loss would grow, and
// with many negatives, wide windows or a high learning rate training would
// diverge, however few windows an exchange has. So an exchange takes a few
// windows from each of many places in the text.
class Lane {
 public:
  // Borrows everything except the piece.
  Lane(const EpochContext& context, StreamPiece piece, SkipGram& architecture,
       NegativeSampling& objective, ColumnStepper& stepper)
      : monitor_(context.monitor),
        stepper_(stepper),
        reader_(context.stream, context.subsampler, piece, context.EpochKey(),
                static_cast<size_t>(context.options.window)),
        inputs_(context.model.input()),
        trainer_(context.options, inputs_, architecture, objective, stepper) {}

  // Steps the next group of windows and adds its work to *done, which
  // determines the learning rate. Returns false if there is no other group.
  bool Step(WorkDone* done) {
    if (center_ == run_.end_center && !StartRun(done)) return false;
    stepper_.set_learning_rate(learning_rate_);
    done->examples += trainer_.StepGroup(run_, &center_);
    return true;
  }

 private:
  bool StartRun(WorkDone* done) {
    learning_rate_ = monitor_.LearningRate(monitor_.words() + done->words);
    const uint64_t before = reader_.words_read();
    const bool found = reader_.Next(&run_);
    done->words += reader_.words_read() - before;
    center_ = found ? run_.first_center : run_.end_center;
    if (found) trainer_.Start(run_);
    return found;
  }

  const TrainMonitor& monitor_;
  ColumnStepper& stepper_;
  SentenceReader reader_;
  WordInputs inputs_;
  RunTrainer<WordInputs, SkipGram, NegativeSampling, ColumnStepper&> trainer_;
  WordRun run_;
  size_t center_ = 0;
  float learning_rate_ = 0;
};

// Windows that a lane steps per turn. They have fewer rows than the same number
// of windows from different places.
constexpr size_t kWindowsATurn = 2;

// Returns the i-th of `count` parts of about the same size.
StreamPiece PartOf(StreamPiece piece, uint64_t i, uint64_t count) {
  const uint64_t size = piece.end - piece.begin;
  return {piece.begin + size * i / count, piece.begin + size * (i + 1) / count};
}

// Returns the work done, which ends where an exchange fails.
WorkDone TrainColumnPieceTarget(const EpochContext& context, StreamPiece piece,
                                ScoreExchange& exchange) {
  const TrainOptions& options = context.options;
  EmbeddingModel& model = context.model;
  auto architecture = MakeArchitecture(
      std::get<SkipGramOptions>(options.architecture), options, model);
  auto objective =
      MakeObjective(std::get<NegativeSamplingOptions>(options.objective),
                    context.tables, model, context.threads);
  ColumnStepper stepper(model, objective.MaxRows(), exchange);
  const size_t num_lanes =
      std::max<size_t>(1, exchange.windows() / kWindowsATurn);
  std::vector<std::unique_ptr<Lane>> lanes;
  for (size_t i = 0; i < num_lanes; ++i) {
    lanes.push_back(std::make_unique<Lane>(context, PartOf(piece, i, num_lanes),
                                           architecture, objective, stepper));
  }
  WorkDone done;
  for (bool has_more = true; has_more && exchange.status().ok();) {
    has_more = false;
    for (const std::unique_ptr<Lane>& lane : lanes) {
      for (size_t i = 0; i < kWindowsATurn && lane->Step(&done); ++i) {
        has_more = true;
      }
    }
  }
  stepper.StepAll();
  done.loss = stepper.TakeLoss();
  return done;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {
namespace {

HWY_EXPORT(TrainColumnPieceTarget);

using Clock = std::chrono::steady_clock;

// Adds the work done on a piece to the monitor's sums. Errors: OutOfRange, the
// loss is not finite.
absl::Status Report(const EpochContext& context, const WorkDone& done) {
  TrainMonitor& monitor = context.monitor;
  if (!std::isfinite(done.loss)) {
    return monitor.NotFinite(context.epoch, monitor.words() + done.words,
                             done.loss);
  }
  monitor.Report(done, context.epoch, /*is_first_worker=*/true);
  return absl::OkStatus();
}

}  // namespace

int ColumnBatch(const TrainOptions& options, absl::Span<const uint64_t> counts,
                const Subsampler& subsampler) {
  constexpr double kMostWindows = 512;
  constexpr double kMostSteps = 100;
  const int batch = std::get<ColumnsOptions>(options.distributed).batch;
  if (batch > 0) return batch;
  const auto& sampling = std::get<NegativeSamplingOptions>(options.objective);
  double centers = 0, most_centers = 0, noise = 0, most_noise = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const auto count = static_cast<double>(counts[i]);
    const double kept =
        count * subsampler.KeepProbability(ToWordId(static_cast<uint32_t>(i)));
    const double drawn = std::pow(count, sampling.noise_exponent);
    centers += kept;
    noise += drawn;
    most_centers = std::max(most_centers, kept);
    most_noise = std::max(most_noise, drawn);
  }
  const double steps_a_window =
      most_centers / centers + sampling.negatives * most_noise / noise;
  return static_cast<int>(
      std::clamp(kMostSteps / steps_a_window, 1.0, kMostWindows));
}

template <class Talk>
void ScoreExchange::Timed(const Talk& talk) {
  if (!status_.ok()) return;
  const Clock::time_point start = Clock::now();
  status_ = talk();
  seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
}

void ScoreExchange::Sum(absl::Span<float> scores) {
  Timed([&] { return ranks_.Sum(scores); });
}

void ScoreExchange::Begin(absl::Span<const char> own, char* all) {
  Timed([&] { return ranks_.BeginGather(own, all); });
}

void ScoreExchange::Await() {
  Timed([&] { return ranks_.AwaitGather(); });
}

TrainedPart TrainColumns(const EpochContext& context, StreamPiece rest,
                         uint64_t piece_tokens,
                         const std::function<bool()>& pause, Ranks& ranks,
                         ScoreExchange& exchange) {
  PieceQueue pieces(rest, piece_tokens);
  // The loss is computed from the summed scores. So if it is not finite, all
  // ranks detect this and stop at the same window.
  TrainedPart part;
  while (part.status.ok()) {
    uint64_t pausing = pause() ? 1 : 0;
    part.status.Update(ranks.Sum(absl::MakeSpan(&pausing, 1)));
    if (!part.status.ok() || pausing > 0) break;
    const std::optional<StreamPiece> piece = pieces.Next();
    if (!piece.has_value()) break;
    const WorkDone done =
        HWY_DYNAMIC_DISPATCH(TrainColumnPieceTarget)(context, *piece, exchange);
    part.status.Update(exchange.status());
    part.status.Update(Report(context, done));
    part.done += done;
  }
  part.end = pieces.position();
  return part;
}

}  // namespace firth
#endif  // HWY_ONCE
