// How fast the kernels of training and of queries are, on rows that lie in the
// cache. FLOP/s: two for each multiply-add.

#include <cstdint>
#include <vector>

#include "base/aligned_matrix.h"
#include "base/rng.h"
#include "base/shared_matrix.h"
#include "benchmark/benchmark.h"
#include "simd/dot.h"
#include "simd/gemm.h"
#include "simd/window_kernel.h"

namespace firth {
namespace {

AlignedMatrix RandomMatrix(size_t rows, size_t dim) {
  AlignedMatrix matrix(rows, dim);
  Rng rng(rows * dim);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t i = 0; i < dim; ++i)
      matrix.Row(row)[i] = rng.NextFloat() - 0.5f;
  }
  return matrix;
}

void CountFlops(benchmark::State& state, double per_iteration) {
  state.counters["FLOP/s"] = benchmark::Counter(
      per_iteration, benchmark::Counter::kIsIterationInvariantRate);
}

// Arguments: dim, output rows (1 + negatives); 6 context words.
void StepWindow(benchmark::State& state) {
  constexpr size_t kInputs = 6;
  const auto dim = static_cast<size_t>(state.range(0));
  const auto rows = static_cast<size_t>(state.range(1));
  SharedMatrix inputs(RandomMatrix(kInputs, dim));
  SharedMatrix outputs(RandomMatrix(rows, dim));
  std::vector<SharedRow> input_rows;
  for (size_t i = 0; i < kInputs; ++i) input_rows.push_back(inputs.Row(i));
  OutputBlock block(rows);
  for (size_t j = 0; j < rows; ++j) {
    block.Push(outputs.Row(j), static_cast<uint32_t>(j), j == 0 ? 1 : 0, 0);
  }
  StepBlock scores(rows);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        StepSharedWindow(input_rows, block, 1e-6f, PaddedDim(dim), scores));
  }
  CountFlops(state, 6.0 * kInputs * static_cast<double>(rows * dim));
}
BENCHMARK(StepWindow)->ArgsProduct({{50, 100, 300}, {6, 16}});

// Argument: dim; 1000 rows, as of a query.
void ScanRows(benchmark::State& state) {
  const auto dim = static_cast<size_t>(state.range(0));
  const AlignedMatrix rows = RandomMatrix(1000, dim);
  const AlignedMatrix query = RandomMatrix(1, dim);
  std::vector<float> scores(rows.rows());
  for (auto _ : state) {
    DotRows(query.Row(0), rows.data(), rows.rows(), rows.stride(), dim,
            scores.data());
    benchmark::ClobberMemory();
  }
  CountFlops(state, 2.0 * static_cast<double>(rows.rows() * dim));
}
BENCHMARK(ScanRows)->Arg(50)->Arg(100)->Arg(300);

// The product of full softmax: 64 hidden vectors with 20,000 words.
void SoftmaxScores(benchmark::State& state) {
  const auto dim = static_cast<size_t>(state.range(0));
  const AlignedMatrix hidden = RandomMatrix(64, dim);
  const AlignedMatrix output = RandomMatrix(20000, dim);
  std::vector<float> scores(hidden.rows() * output.rows());
  for (auto _ : state) {
    Gemm(Transpose::kNo, Transpose::kYes, hidden.rows(), output.rows(), dim, 1,
         hidden.data(), hidden.stride(), output.data(), output.stride(), 0,
         scores.data(), output.rows());
    benchmark::ClobberMemory();
  }
  CountFlops(state, 2.0 * static_cast<double>(scores.size() * dim));
}
BENCHMARK(SoftmaxScores)->Arg(100)->Arg(300);

}  // namespace
}  // namespace firth

BENCHMARK_MAIN();
