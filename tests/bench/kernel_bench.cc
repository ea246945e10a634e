// How fast the kernels of training and of queries are, for each instruction set
// that this machine has, on data that lies in the cache.
//
// FLOP counts two for a multiply-add. "of peak, %" holds a kernel against what
// the same instructions reach with all operands in registers (fma_peak.h),
// measured in the same process. Both are by CPU time, the best of many short
// runs.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/matrix.h"
#include "base/rng.h"
#include "base/shared_matrix.h"
#include "bench/cpu_clock.h"
#include "bench/fma_peak.h"
#include "benchmark/benchmark.h"
#include "simd/query_batch.h"
#include "simd/softmax_kernel.h"
#include "simd/stored_rows.h"
#include "simd/targets.h"
#include "support/window_kernel.h"
// Must come after simd/targets.h.
#include "hwy/highway.h"

namespace firth {
namespace {

PaddedMatrix RandomMatrix(size_t rows, size_t dim) {
  PaddedMatrix matrix(rows, dim);
  Rng rng(rows * dim);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t i = 0; i < dim; ++i)
      matrix.Row(row)[i] = rng.NextFloat() - 0.5f;
  }
  return matrix;
}

// The step of a window moves its rows; small enough to leave them what they
// are, however often it is repeated.
constexpr float kLearningRate = 1e-6f;

OutputBlock MakeBlock(SharedMatrix* rows, size_t count) {
  OutputBlock block(count);
  for (size_t j = 0; j < count; ++j) {
    block.Push(rows->Row(j), static_cast<uint32_t>(j), j == 0 ? 1 : 0, 0);
  }
  return block;
}

// A kernel is a class with a Name(), made of sizes; flops() and items() of one
// Run(), 0 where the count says nothing.

// Skip-gram's step: `inputs` context rows with 1 + negatives output rows.
class WindowStep {
 public:
  static std::string Name(size_t dim, size_t outputs, size_t inputs) {
    return absl::StrCat("WindowStep/dim:", dim, "/outputs:", outputs,
                        "/inputs:", inputs);
  }
  WindowStep(size_t dim, size_t outputs, size_t inputs)
      : inputs_(RandomMatrix(inputs, dim)),
        outputs_(RandomMatrix(outputs, dim)),
        block_(MakeBlock(&outputs_, outputs)),
        steps_(outputs),
        dim_(dim) {
    for (size_t i = 0; i < inputs; ++i) rows_.push_back(inputs_.Row(i));
  }
  // A dot product and two rows that move, for each input with each output.
  double flops() const { return 6.0 * static_cast<double>(items() * dim_); }
  size_t items() const { return rows_.size() * block_.size; }
  void Run() {
    benchmark::DoNotOptimize(StepSharedWindow(
        rows_, block_, kLearningRate, PaddedStride<float>(dim_), steps_));
  }

 private:
  SharedMatrix inputs_;
  SharedMatrix outputs_;
  OutputBlock block_;
  StepBlock steps_;
  std::vector<SharedRow> rows_;
  size_t dim_;
};

// CBOW's step: one private vector with 1 + negatives output rows.
class HiddenStep {
 public:
  static std::string Name(size_t dim, size_t outputs) {
    return absl::StrCat("HiddenStep/dim:", dim, "/outputs:", outputs);
  }
  HiddenStep(size_t dim, size_t outputs)
      : hidden_(RandomMatrix(2, dim)),
        outputs_(RandomMatrix(outputs, dim)),
        block_(MakeBlock(&outputs_, outputs)),
        steps_(outputs),
        dim_(dim) {}
  double flops() const { return 6.0 * static_cast<double>(items() * dim_); }
  size_t items() const { return block_.size; }
  void Run() {
    benchmark::DoNotOptimize(StepHidden(hidden_.Row(0), block_, kLearningRate,
                                        PaddedStride<float>(dim_), steps_,
                                        hidden_.Row(1)));
  }

 private:
  PaddedMatrix hidden_;  // the vector, its step
  SharedMatrix outputs_;
  OutputBlock block_;
  StepBlock steps_;
  size_t dim_;
};

// A query's scan.
class RowScan {
 public:
  static std::string Name(size_t dim, size_t rows) {
    return absl::StrCat("DotRows/dim:", dim, "/rows:", rows);
  }
  RowScan(size_t dim, size_t rows)
      : rows_(RandomMatrix(rows, dim)),
        query_(RandomMatrix(1, dim)),
        scores_(rows),
        dim_(dim) {}
  double flops() const { return 2.0 * static_cast<double>(items() * dim_); }
  size_t items() const { return scores_.size(); }
  void Run() {
    DotRows(query_.Row(0), rows_.data(), rows_.rows(), rows_.stride(), dim_,
            scores_.data());
    benchmark::ClobberMemory();
  }

 private:
  PaddedMatrix rows_;
  PaddedMatrix query_;
  std::vector<float> scores_;
  size_t dim_;
};

// The best word of an analogy: 3CosAdd or 3CosMul over rows of cosines.
template <auto kFind>
class BestScore {
 public:
  explicit BestScore(size_t words) : cosines_(RandomMatrix(3, words)) {}
  double flops() const { return 0; }
  size_t items() const { return cosines_.cols(); }
  void Run() {
    float best = 100;  // as at most words of a scan: none is better
    size_t best_pos = 0;
    benchmark::DoNotOptimize(kFind(cosines_.Row(0), cosines_.Row(1),
                                   cosines_.Row(2), cosines_.cols(), &best,
                                   &best_pos));
  }

 private:
  PaddedMatrix cosines_;
};

class BestSum : public BestScore<FindBetterSum> {
 public:
  using BestScore::BestScore;
  static std::string Name(size_t words) {
    return absl::StrCat("FindBetterSum/words:", words);
  }
};

class BestQuotient : public BestScore<FindBetterQuotient> {
 public:
  using BestScore::BestScore;
  static std::string Name(size_t words) {
    return absl::StrCat("FindBetterQuotient/words:", words);
  }
};

// The normaliser over a row of scores.
class LogSum {
 public:
  static std::string Name(size_t words) {
    return absl::StrCat("LogSumExp/words:", words);
  }
  explicit LogSum(size_t words) : scores_(RandomMatrix(1, words)) {}
  double flops() const { return 0; }
  size_t items() const { return scores_.cols(); }
  void Run() {
    benchmark::DoNotOptimize(LogSumExp(scores_.Row(0), scores_.cols()));
  }

 private:
  PaddedMatrix scores_;
};

// Full softmax's step for a batch, with one target an example.
class SoftmaxStep {
 public:
  static std::string Name(size_t dim) {
    return absl::StrCat("SoftmaxStep/batch:", kBatch, "/words:", kWords,
                        "/dim:", dim);
  }
  explicit SoftmaxStep(size_t dim)
      : output_(RandomMatrix(kWords, dim)), batch_(kBatch, kWords, dim) {
    batch_.hidden = RandomMatrix(kBatch, dim);
    for (size_t i = 0; i < kBatch; ++i) {
      batch_.PushTarget(static_cast<uint32_t>(i));
      batch_.EndExample();
    }
  }
  // A score and two steps, for each example with each word.
  double flops() const { return 6.0 * static_cast<double>(items() * dim()); }
  size_t items() const { return kBatch * kWords; }
  void Run() {
    benchmark::DoNotOptimize(StepSoftmax(kLearningRate, batch_, output_));
  }

 private:
  static constexpr size_t kBatch = 64;
  static constexpr size_t kWords = 20000;
  size_t dim() const { return output_.cols(); }

  SharedMatrix output_;
  SoftmaxBatch batch_;
};

// An instruction set and its ceiling.
struct Target {
  int64_t id;
  std::string name;
  double peak;  // FLOP/s
};

// One instruction set while it lives; then the best again, for whoever does not
// choose.
class ChosenTarget {
 public:
  explicit ChosenTarget(int64_t target) { Choose(target); }
  ~ChosenTarget() { Choose(0); }
  ChosenTarget(const ChosenTarget&) = delete;
  ChosenTarget& operator=(const ChosenTarget&) = delete;

 private:
  static void Choose(int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();
  }
};

std::vector<Target> MeasureTargets() {
  std::vector<Target> targets;
  for (const int64_t id : hwy::SupportedAndGeneratedTargets()) {
    const ChosenTarget chosen(id);
    targets.push_back({id, hwy::TargetName(id), MeasureFmaPeak()});
  }
  return targets;
}

// The time of one run, as the peak is measured: the best of many slices of some
// milliseconds. Other machines' work beside it on the same core comes and goes.
class RunTimer {
 public:
  void EndRun() {
    if (++runs_ < slice_) return;
    const double seconds = CpuSeconds() - start_;
    if (seconds < kSliceSeconds) {
      slice_ *= 2;
    } else {
      best_ = std::min(best_, seconds / static_cast<double>(runs_));
    }
    runs_ = 0;
    start_ = CpuSeconds();
  }
  double seconds() const { return best_; }

 private:
  static constexpr double kSliceSeconds = 0.005;

  size_t runs_ = 0;
  size_t slice_ = 1;
  double start_ = CpuSeconds();
  double best_ = std::numeric_limits<double>::infinity();
};

// seconds: of one run; peak: FLOP/s.
void Report(benchmark::State& state, double flops, size_t items, double peak,
            double seconds) {
  if (flops > 0) {
    state.counters["GFLOP/s"] = flops / seconds / 1e9;
    state.counters["of peak, %"] = 100 * flops / seconds / peak;
  }
  if (items > 0) {
    state.counters["G items/s"] = static_cast<double>(items) / seconds / 1e9;
  }
}

template <class Kernel, class... Sizes>
void Register(const Target& target, Sizes... sizes) {
  const auto body = [target, sizes...](benchmark::State& state) {
    const ChosenTarget chosen(target.id);
    Kernel kernel(sizes...);
    RunTimer timer;
    for (auto _ : state) {
      kernel.Run();
      timer.EndRun();
    }
    Report(state, kernel.flops(), kernel.items(), target.peak, timer.seconds());
  };
  const std::string name =
      absl::StrCat(target.name, "/", Kernel::Name(sizes...));
  benchmark::RegisterBenchmark(name.c_str(), body);
}

// The ceiling itself, among the results: other programs read it there.
void RegisterPeak(const Target& target) {
  const auto body = [target](benchmark::State& state) {
    const ChosenTarget chosen(target.id);
    for (auto _ : state) benchmark::DoNotOptimize(RunMultiplyAdds(10000));
    state.counters["GFLOP/s"] = target.peak / 1e9;
    state.counters["of peak, %"] = 100;
  };
  const std::string name = absl::StrCat(target.name, "/FmaPeak");
  benchmark::RegisterBenchmark(name.c_str(), body);
}

void RegisterKernels(const Target& target) {
  RegisterPeak(target);
  for (const size_t dim : {50, 100, 300}) {
    for (const size_t outputs : {6, 16}) {
      for (const size_t inputs : {1, 6, 10}) {
        Register<WindowStep>(target, dim, outputs, inputs);
      }
      Register<HiddenStep>(target, dim, outputs);
    }
    Register<SoftmaxStep>(target, dim);
    constexpr size_t kCachedRows = 200;  // 256 kB at dim 300
    Register<RowScan>(target, dim, kCachedRows);
  }
  constexpr size_t kWords = 20000;
  Register<BestSum>(target, kWords);
  Register<BestQuotient>(target, kWords);
  Register<LogSum>(target, kWords);
}

}  // namespace
}  // namespace firth

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const std::vector<firth::Target> targets = firth::MeasureTargets();
  for (const firth::Target& target : targets) firth::RegisterKernels(target);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
