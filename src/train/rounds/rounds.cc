// A round has two phases, with a barrier after each. In the first, threads take
// slices and log their steps. At the barrier one thread sums up what the slices
// measured and decides how far steps are damped. In the second phase, threads
// take partitions of the rows and apply the logs to them. At its barrier one
// thread reports the round and sets up the next one.

#include "train/rounds/rounds.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "base/check.h"

namespace firth {
namespace {

// Size of a round. Fewer windows cost more waiting, more need more damping.
// Even a short text should have some rounds, and a slice some windows.
constexpr double kWindows = 1024;
constexpr double kLeastWindows = 64;
constexpr double kRounds = 200;
constexpr size_t kSlices = 16;
constexpr double kSliceWindows = 16;
// How far the sum of a row's steps may go, where 1 is the whole way: at 2, it
// would end equally far on the other side.
constexpr double kFarthest = 1.5;

// Returns the mean slope s(z) s(-z) of the sigmoid, if the mean logistic loss
// is `loss` nats and the scores are calibrated. This is p (1 - p) as a function
// of the entropy of (p, 1 - p), to within a twentieth for p > 0.02.
double MeanSlope(double loss) {
  const double share = std::clamp(loss / std::log(2.0), 0.0, 1.0);
  return std::pow(share, 1.35) / 4;
}

double Length(const std::vector<double>& vector) {
  double squares = 0;
  for (const double value : vector) squares += value * value;
  return std::sqrt(squares);
}

}  // namespace

RoundShape ShapeOfRounds(const Subsampler& subsampler,
                         absl::Span<const uint64_t> counts) {
  double all = 0;
  double kept = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    const auto count = static_cast<double>(counts[i]);
    all += count;
    kept += count * subsampler.KeepProbability(ToWordId(i));
  }
  RoundShape shape;
  if (kept == 0) return shape;
  const double windows = std::clamp(kept / kRounds, kLeastWindows, kWindows);
  shape.slices =
      std::min(kSlices, static_cast<size_t>(windows / kSliceWindows));
  shape.slice_tokens = static_cast<uint64_t>(
      std::ceil(windows / static_cast<double>(shape.slices) * all / kept));
  return shape;
}

uint64_t RoundBytes(const TrainOptions& options, const ModelShape& shape) {
  const double path = std::log2(static_cast<double>(shape.vocab_size) + 2);
  const double rows = std::visit(
      [&](const auto& objective) {
        if constexpr (requires { objective.negatives; }) {
          return objective.negatives + 1.0;
        }
        return path;
      },
      options.objective);
  // Each window logs its output rows and one word. Each row has a counter.
  const double vectors = kWindows * (rows + 1);
  return static_cast<uint64_t>(vectors) * PaddedStride<float>(shape.dim) *
             sizeof(float) +
         (shape.input_rows() + shape.output_rows) * sizeof(float);
}

Rounds::Rounds(const RoundShape& shape, StreamPiece rest, int epoch,
               std::function<bool()> pause, EmbeddingModel& model,
               TrainMonitor& monitor, std::vector<float>* probes)
    : shape_(shape),
      end_(rest.end),
      epoch_(epoch),
      pause_(std::move(pause)),
      monitor_(monitor),
      applier_(model),
      begin_(rest.begin),
      learning_rate_(monitor.LearningRate(monitor.words())),
      over_(rest.begin >= rest.end),
      probes_(*probes),
      aligned_probes_(2, model.dim()) {
  if (probes_.empty()) {
    const float equal = 1 / std::sqrt(static_cast<float>(model.dim()));
    probes_.assign(2 * model.dim(), equal);
  }
  FIRTH_CHECK(probes_.size() == 2 * model.dim());
  for (size_t i = 0; i < shape.slices; ++i) {
    SliceLog& log = logs_.emplace_back(model.dim());
    log.inputs.probe = aligned_probes_.Row(0);
    log.outputs.probe = aligned_probes_.Row(1);
  }
  for (size_t i = 0; i < 2; ++i) {
    std::copy_n(probes_.data() + i * model.dim(), model.dim(),
                aligned_probes_.Row(i));
  }
}

std::optional<Rounds::Slice> Rounds::TakeSlice() {
  if (over_) return std::nullopt;
  const size_t i = next_slice_.fetch_add(1, std::memory_order_relaxed);
  if (i >= shape_.slices) return std::nullopt;
  const uint64_t begin = std::min(begin_ + i * shape_.slice_tokens, end_);
  const uint64_t end = std::min(begin + shape_.slice_tokens, end_);
  logs_[i].Clear();
  return Slice{{begin, end}, &logs_[i]};
}

bool Rounds::NextRound() {
  if (over_) return false;
  const int team = omp_get_num_threads();
  learned_.Wait(team, [this] { Measure(); });
  for (size_t partition = next_partition_.fetch_add(1);
       partition < RowLog::kPartitions;
       partition = next_partition_.fetch_add(1)) {
    applier_.Apply(logs_, damping_, partition);
  }
  applied_.Wait(team, [this] { Advance(); });
  return !over_;
}

std::vector<double> Rounds::MeanOf(Spread SliceLog::*spread) const {
  std::vector<double> mean(aligned_probes_.cols());
  double count = 0;
  for (const SliceLog& log : logs_) {
    const uint64_t measured = ((log.*spread).count + 7) / 8;
    count += static_cast<double>(measured);
    const float* const sum = (log.*spread).sum.Row(0);
    for (size_t i = 0; i < mean.size(); ++i) mean[i] += sum[i];
  }
  for (double& value : mean) value /= std::max(count, 1.0);
  return mean;
}

void Rounds::Measure() {
  mean_input_ = MeanOf(&SliceLog::inputs);
  mean_output_ = MeanOf(&SliceLog::outputs);
  damping_ = {};
  double blocks = 0;
  double examples = 0;
  double rows = 0;
  double loss = 0;
  for (const SliceLog& log : logs_) {
    loss += log.loss;
    blocks += static_cast<double>(log.outputs.count);
    examples += static_cast<double>(log.examples);
    rows += static_cast<double>(log.output.size());
  }
  if (blocks == 0) return;
  const double outputs = rows / blocks;  // Per window.
  const double slope =
      learning_rate_ * MeanSlope(loss / std::max(examples * outputs, 1.0));
  // A step of an output row sums over the pairs of one window, and a step of an
  // input vector over all windows in its reach.
  const double of_output = slope * examples / blocks / kFarthest;
  const double of_input = of_output * outputs;
  damping_.output = static_cast<float>(of_output * Length(mean_input_));
  damping_.input = static_cast<float>(of_input * Length(mean_output_));
  damping_.position = damping_.input;
  damping_.bias = static_cast<float>(of_output);
}

void Rounds::TurnProbes() {
  for (size_t side = 0; side < 2; ++side) {
    const std::vector<double>& mean = side == 0 ? mean_input_ : mean_output_;
    const double length = Length(mean);
    // All rows are 0 at first, and after a failure they may not be finite.
    if (!(length > 0 && std::isfinite(length))) continue;
    float* const probe = aligned_probes_.Row(side);
    for (size_t i = 0; i < mean.size(); ++i) {
      probe[i] = static_cast<float>(mean[i] / length);
    }
    std::copy_n(probe, mean.size(), probes_.data() + side * mean.size());
  }
}

void Rounds::Advance() {
  WorkDone round;
  for (const SliceLog& log : logs_) {
    round.words += log.words;
    round.examples += log.examples;
    round.loss += log.loss;
  }
  TurnProbes();
  begin_ = std::min(begin_ + shape_.slices * shape_.slice_tokens, end_);
  next_slice_ = 0;
  next_partition_ = 0;
  if (!std::isfinite(round.loss)) {
    status_ =
        monitor_.NotFinite(epoch_, monitor_.words() + round.words, round.loss);
    monitor_.Abort();
    over_ = true;
    return;
  }
  done_.words += round.words;
  done_.examples += round.examples;
  done_.loss += round.loss;
  monitor_.Report(round, epoch_, /*is_first_worker=*/true);
  learning_rate_ = monitor_.LearningRate(monitor_.words());
  over_ = begin_ == end_ || pause_();
}

}  // namespace firth
