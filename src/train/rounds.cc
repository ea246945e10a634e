#include "train/rounds.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
namespace firth {
namespace {

// Fewer windows cost more waiting, more of them damp more.
constexpr double kWindows = 1024;
constexpr size_t kSlices = 16;

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
  shape.slices = kSlices;
  shape.slice_tokens =
      static_cast<uint64_t>(std::ceil(kWindows / kSlices * all / kept));
  return shape;
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
#pragma omp barrier
  const Damping damping = DampingOfRound();
  for (size_t partition = next_partition_.fetch_add(1);
       partition < RowLog::kPartitions;
       partition = next_partition_.fetch_add(1)) {
    applier_.Apply(logs_, damping, partition);
  }
  if (threads_done_.fetch_add(1) + 1 == omp_get_num_threads()) Advance();
#pragma omp barrier
  return !over_;
}

std::vector<double> Rounds::MeanOf(Spread SliceLog::*spread) const {
  std::vector<double> mean(aligned_probes_.dim());
  double count = 0;
  for (const SliceLog& log : logs_) {
    count += static_cast<double>((log.*spread).count);
    const float* const sum = (log.*spread).sum.Row(0);
    for (size_t i = 0; i < mean.size(); ++i) mean[i] += sum[i];
  }
  for (double& value : mean) value /= std::max(count, 1.0);
  return mean;
}

Damping Rounds::DampingOfRound() const {
  double blocks = 0;
  double examples = 0;
  double rows = 0;
  for (const SliceLog& log : logs_) {
    blocks += static_cast<double>(log.outputs.count);
    examples += static_cast<double>(log.examples);
    rows += static_cast<double>(log.output.size());
  }
  if (blocks == 0) return {};
  const double slope = learning_rate_ / 4.0;
  // A step of an output row comes of the pairs of a window, one of an input
  // vector of all windows in its reach.
  const double of_output = slope * examples / blocks;
  const double of_input = of_output * rows / blocks;
  Damping damping;
  damping.output =
      static_cast<float>(of_output * Length(MeanOf(&SliceLog::inputs)));
  damping.input =
      static_cast<float>(of_input * Length(MeanOf(&SliceLog::outputs)));
  damping.position = damping.input;
  damping.bias = static_cast<float>(of_output);
  return damping;
}

void Rounds::TurnProbes() {
  const std::vector<double> means[] = {MeanOf(&SliceLog::inputs),
                                       MeanOf(&SliceLog::outputs)};
  for (size_t side = 0; side < 2; ++side) {
    const std::vector<double>& mean = means[side];
    const double length = Length(mean);
    // All rows are 0 at first, and may be damaged at last.
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
  threads_done_ = 0;
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
