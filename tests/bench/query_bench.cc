// How many questions a second: 100,000 words of 300 dimensions in memory, ten
// answers each. One thread unless OMP_NUM_THREADS says otherwise.

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/matrix.h"
#include "base/rng.h"
#include "benchmark/benchmark.h"
#include "firth/query.h"

namespace firth {
namespace {

constexpr size_t kWords = 100'000, kDim = 300, kTop = 10;

// Clusters of 20 words, so that neighbours stand out as real ones do.
WordVectors ClusteredVectors() {
  std::vector<std::string> words;
  for (size_t i = 0; i < kWords; ++i) words.push_back(absl::StrCat("w", i));
  const std::vector<absl::string_view> views(words.begin(), words.end());
  PaddedMatrix values(kWords, kDim);
  Rng rng(1);
  std::vector<float> center(kDim);
  for (size_t row = 0; row < kWords; ++row) {
    for (size_t i = 0; i < kDim; ++i) {
      if (row % 20 == 0) center[i] = rng.NextFloat() - 0.5f;
      values.Row(row)[i] = center[i] + 1.5f * (rng.NextFloat() - 0.5f);
    }
  }
  auto vocabulary = Vocabulary::Create(views, {});
  auto vectors = WordVectors::Create(*std::move(vocabulary), std::move(values));
  return *std::move(vectors);
}

const NearestNeighbors& Neighbors(const SearchOptions& search) {
  static const WordVectors vectors = ClusteredVectors();
  static const NearestNeighbors exact(vectors);
  static const NearestNeighbors int8 =
      *NearestNeighbors::Create(vectors, Int8Search());
  return std::holds_alternative<ExactSearch>(search) ? exact : int8;
}

void OneAtATime(benchmark::State& state, const SearchOptions& search) {
  const NearestNeighbors& neighbors = Neighbors(search);
  size_t word = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(neighbors.FindWord(ToWordId(word), kTop));
    word = (word + 7919) % kWords;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(OneAtATime, exact, ExactSearch());
BENCHMARK_CAPTURE(OneAtATime, int8, Int8Search());

// Argument: queries at once.
void Batched(benchmark::State& state) {
  const NearestNeighbors& neighbors = Neighbors(ExactSearch());
  std::vector<WordId> words;
  for (int64_t i = 0; i < state.range(0); ++i) {
    words.push_back(ToWordId(static_cast<size_t>(i) * 7919 % kWords));
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(neighbors.FindWords(words, kTop));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(Batched)->Arg(4)->Arg(16)->Arg(64)->Arg(256)->Arg(1024);

}  // namespace
}  // namespace firth
