// This file is compiled once per instruction set. Windows, objective and kernel
// are those of train_shard.cc, but a step waits for the scores of all ranks.

#include "train/columns/train_columns.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <variant>
#include <vector>

#include "simd/targets.h"
#include "simd/window_block.h"
#include "train/sentence_reader.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/columns/train_columns.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "objective/objectives-inl.h"
#include "simd/window_kernel-inl.h"
#include "train/architectures-inl.h"
#include "train/inputs-inl.h"
#include "train/run_trainer-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

using HalfTag = hn::Rebind<hwy::float16_t, FloatTag>;

// Converts `from` to 16 bits. Its size must be a multiple of a cache line.
HWY_INLINE void Narrow(const std::vector<float>& from,
                       std::vector<hwy::float16_t>* to) {
  const FloatTag d;
  to->resize(from.size());
  for (size_t at = 0; at < from.size(); at += FloatLanes()) {
    hn::StoreU(hn::DemoteTo(HalfTag(), hn::LoadU(d, from.data() + at)),
               HalfTag(), to->data() + at);
  }
}

// Sets (*to)[i] to the sum over the ranks of `from`, [ranks, to->size()], in
// rank order, so that all ranks get the same bits.
HWY_INLINE void AddUp(const std::vector<hwy::float16_t>& from,
                      std::vector<float>* to) {
  const FloatTag d;
  const size_t size = to->size();
  for (size_t at = 0; at < size; at += FloatLanes()) {
    FloatVec sum = hn::Zero(d);
    for (size_t i = at; i < from.size(); i += size) {
      sum =
          hn::Add(sum, hn::PromoteTo(d, hn::LoadU(HalfTag(), from.data() + i)));
    }
    hn::StoreU(sum, d, to->data() + at);
  }
}

// Steps several windows at once, on some of the columns.
//
// Windows are collected until there are enough for an exchange. Then the part
// of their scores that comes from this rank's columns is computed and sent to
// the other ranks. Meanwhile the previous exchange completes: its scores are
// summed over all ranks, and its steps are made. So no rank waits for the
// network if a transfer takes less time than the computation in between. The
// scores of a window miss the steps of the previous exchange and those of
// earlier windows in its own exchange. Scoring and stepping visit many rows,
// which are prefetched a few windows ahead. Scores are sent as 16-bit numbers.
// With a batch of 1, they are sent at full precision and waited for, as in a
// single process.
class ColumnStepper {
 public:
  // `max_rows` is the maximum size of a block. Borrows the exchange.
  ColumnStepper(const EmbeddingModel& model, size_t max_rows,
                ScoreExchange& exchange)
      : columns_{model.dim()},
        weights_(max_rows),
        steps_(max_rows),
        exchange_(exchange) {
    for (Part& part : parts_) {
      for (size_t i = 0; i < exchange.windows(); ++i) {
        part.windows.emplace_back(max_rows);
      }
    }
  }

  void set_learning_rate(float rate) { learning_rate_ = rate; }
  const float* WeightsOf(size_t size, uint32_t contexts) const {
    return weights_.Of(size, contexts);
  }

  // Prefetches nothing: the rows of a window are used when it is scored.
  void StepWords(const SharedInputs& inputs, size_t count,
                 const PairWeights* weights, const OutputBlock& block,
                 absl::Span<const SharedRow>) {
    Part& part = parts_[waiting_];
    Waiting& step = part.windows[part.count++];
    std::copy_n(inputs.rows, count, step.inputs.rows);
    step.count = count;
    step.has_weights = weights != nullptr;
    if (weights != nullptr) {
      step.weights.most = weights->most;
      std::copy_n(weights->of, count, step.weights.of);
    }
    Copy(block, &step.block);
    step.learning_rate = learning_rate_;
    part.pairs += count * block.size;
    if (part.count < part.windows.size() && part.pairs < kMostPairs) return;
    Send(part);
    if (exchange_.is_exact()) return Receive(part);
    waiting_ = 1 - waiting_;
    Receive(parts_[waiting_]);
  }

  // Makes all waiting steps.
  void StepAll() {
    Part& part = parts_[waiting_];
    if (part.count > 0) Send(part);
    Receive(parts_[1 - waiting_]);
    Receive(part);
  }

  // Returns the sum of the losses of the steps made since the last call.
  double TakeLoss() { return losses_.Take(); }

 private:
  // An exchange with this many pairs is sent before it has all its windows.
  static constexpr size_t kMostPairs = size_t{1} << 20;
  static constexpr size_t kWindowsAhead = 2;

  struct Waiting {
    explicit Waiting(size_t max_rows) : block(max_rows) {}
    SharedInputs inputs;
    size_t count = 0;  // Number of inputs.
    bool has_weights = false;
    PairWeights weights;
    OutputBlock block;
    float learning_rate = 0;
  };
  // The windows of one exchange.
  struct Part {
    std::vector<Waiting> windows;
    size_t count = 0;
    size_t pairs = 0;
    std::vector<float> scores;  // Of this rank's columns, then of all.
    std::vector<hwy::float16_t> own;
    std::vector<hwy::float16_t> all;
  };

  static void Copy(const OutputBlock& block, OutputBlock* to) {
    to->Clear();
    for (size_t j = 0; j < block.size; ++j) {
      to->Push(block.rows[j], block.ids[j], block.labels()[j],
               block.offsets()[j]);
    }
  }

  // Computes the scores and sends them.
  void Send(Part& part) {
    part.scores.clear();
    for (size_t i = 0; i < part.count; ++i) {
      Prefetch(part, i + kWindowsAhead);
      AddScores(part.windows[i], &part.scores);
    }
    if (exchange_.is_exact()) return exchange_.Sum(absl::MakeSpan(part.scores));
    const size_t lines = (part.scores.size() + kRowFloats - 1) / kRowFloats;
    part.scores.resize(lines * kRowFloats);
    Narrow(part.scores, &part.own);
    part.all.resize(part.own.size() * exchange_.num_ranks());
    exchange_.Begin({reinterpret_cast<const char*>(part.own.data()),
                     part.own.size() * sizeof(hwy::float16_t)},
                    reinterpret_cast<char*>(part.all.data()));
  }

  // Makes the steps, once the scores of all ranks have arrived.
  void Receive(Part& part) {
    if (part.count == 0) return;
    if (!exchange_.is_exact()) {
      exchange_.Await();
      AddUp(part.all, &part.scores);
    }
    const float* scores = part.scores.data();
    if (exchange_.status().ok()) {
      for (size_t i = 0; i < part.count; ++i) {
        Prefetch(part, i + kWindowsAhead);
        Step(part.windows[i], &scores);
      }
    }
    part.count = part.pairs = 0;
  }

  // Prefetches the rows of a window, if the part contains it.
  void Prefetch(const Part& part, size_t window) const {
    if (window >= part.count) return;
    const Waiting& step = part.windows[window];
    for (size_t i = 0; i < step.count; ++i) Prefetch(step.inputs.rows[i]);
    for (size_t j = 0; j < step.block.size; ++j) Prefetch(step.block.rows[j]);
  }
  HWY_INLINE void Prefetch(SharedRow row) const {
    for (size_t at = 0; at < columns_.count; at += kRowFloats) {
      PrefetchElement(row, at);
    }
    PrefetchElement(row, columns_.count - 1);
  }

  void AddScores(const Waiting& step, std::vector<float>* scores) {
    if (step.block.size == 0) return;
    ScoreRows(step.inputs, step.count, step.block.From(0), 0, columns_, steps_);
    for (size_t i = 0; i < step.count; ++i) {
      const float* const row = steps_.Row(i);
      scores->insert(scores->end(), row, row + step.block.size);
    }
  }

  void Step(const Waiting& step, const float** scores) {
    const OutputBlock& block = step.block;
    if (block.size == 0) return;
    for (size_t i = 0; i < step.count; ++i, *scores += block.size) {
      std::copy_n(*scores, block.size, steps_.Row(i));
    }
    if (step.has_weights) {
      ScoresToSteps(step.count, block.From(0), step.weights, step.learning_rate,
                    steps_, losses_);
    } else {
      ScoresToSteps(step.count, block.From(0), EqualWeights(),
                    step.learning_rate, steps_, losses_);
    }
    UpdateRows(step.inputs, step.count, NoOwnRows(), block.rows.data(),
               block.size, steps_.Row(0), steps_.stride(), {}, columns_);
  }

  UnpaddedColumns columns_;
  float learning_rate_ = 0;
  GroupWeights weights_;
  StepBlock steps_;
  LossSum losses_;
  ScoreExchange& exchange_;
  Part parts_[2];
  // The part that collects windows. The other one, if not empty, is in transit.
  size_t waiting_ = 0;
};

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
