// The parts of an objective other than its step: the fields of its options, its
// lookup tables, and the memory that it takes.

#include "objective/objective_tables.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "absl/strings/str_cat.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "simd/softmax_kernel.h"

namespace firth {
namespace {

absl::Status CheckCounts(const Vocabulary& vocabulary, absl::string_view what) {
  if (vocabulary.size() < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": needs a vocabulary of at least 2 words, found ",
                     vocabulary.size()));
  }
  if (vocabulary.total_count() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": needs words with counts, but all counts are 0"));
  }
  return absl::OkStatus();
}

std::vector<float> LogNoise(const NoiseDistribution& noise, int negatives) {
  std::vector<float> logs;
  logs.reserve(noise.size());
  for (const double probability : noise.Probabilities()) {
    logs.push_back(static_cast<float>(std::log(negatives * probability)));
  }
  return logs;
}

// Returns the fields of the objectives that draw noise.
template <class Objective>
FieldTable NoiseFields() {
  FieldsOf<Objective> fields;
  fields.Add("negative", &Objective::negatives,
             "number of negative samples, shared by each window",
             Field().Range(1, 1000).Habit());
  fields.Add("noise-exponent", &Objective::noise_exponent,
             "draw negative samples in proportion to the word count raised to "
             "this power",
             Field().Range(-10, 10).Habit());
  return fields;
}

// For each objective, Make() creates its tables and TableBytes() returns their
// size. A missing overload is a compile error.

ObjectiveTables Make(const NegativeSamplingOptions& options,
                     const Vocabulary& vocabulary) {
  return {
      .noise = NoiseDistribution(vocabulary.counts(), options.noise_exponent),
      .log_noise = {},
      .tree = {}};
}

uint64_t TableBytes(const NegativeSamplingOptions&, size_t vocab_size) {
  return vocab_size * 8;
}

// A word that noise never draws (count 0) has ln 0 here. It is never a target
// either, as it does not occur.
ObjectiveTables Make(const NceOptions& options, const Vocabulary& vocabulary) {
  ObjectiveTables tables;
  tables.noise.emplace(vocabulary.counts(), options.noise_exponent);
  tables.log_noise = LogNoise(*tables.noise, options.negatives);
  return tables;
}

uint64_t TableBytes(const NceOptions&, size_t vocab_size) {
  return vocab_size * 12;
}

ObjectiveTables Make(const HierarchicalSoftmaxOptions&,
                     const Vocabulary& vocabulary) {
  ObjectiveTables tables;
  tables.tree.emplace(vocabulary.counts());
  return tables;
}

// Includes the memory for building the tree: the links of nodes and their
// weights, and the growing array of the steps of all paths.
uint64_t TableBytes(const HierarchicalSoftmaxOptions&, size_t vocab_size) {
  const double depth = std::log2(static_cast<double>(vocab_size) + 2) + 3;
  return vocab_size * (40 + 6 * static_cast<uint64_t>(depth));
}

ObjectiveTables Make(const FullSoftmaxOptions&, const Vocabulary&) {
  return {};
}

uint64_t TableBytes(const FullSoftmaxOptions&, size_t) { return 0; }

// At most a quarter of the rows, because few rows of a small table would
// remain.
size_t NumHot(size_t most, size_t rows, int threads) {
  return threads > 1 ? std::min(most, rows / 4) : 0;
}

}  // namespace

FieldTable NegativeSamplingOptions::Fields() {
  return NoiseFields<NegativeSamplingOptions>();
}

FieldTable NceOptions::Fields() { return NoiseFields<NceOptions>(); }

FieldTable FullSoftmaxOptions::Fields() {
  FieldsOf<FullSoftmaxOptions> fields;
  fields.Add("batch", &FullSoftmaxOptions::batch,
             "number of windows per matrix product; affects speed and memory",
             Field().Range(1, 4096).Habit());
  return fields;
}

size_t NumHotNodes(size_t num_nodes, int threads) {
  return NumHot(1024, num_nodes, threads);
}

// Three in four draws of noise are among 8,192 words. Twice as many save a
// tenth of the time if access to a remote cache line is slow, and nothing if it
// is fast. If words are composed of n-grams, workers wait for those rows, and
// 16 threads with so many copies learned less (two points of analogies and of
// WordSim).
size_t NumHotWords(size_t num_words, int threads, bool composed) {
  return NumHot(composed ? 64 : 8192, num_words, threads);
}

absl::StatusOr<ObjectiveTables> MakeObjectiveTables(
    const ObjectiveOptions& options, const Vocabulary& vocabulary) {
  return std::visit(
      [&](const auto& chosen) -> absl::StatusOr<ObjectiveTables> {
        FIRTH_RETURN_IF_ERROR(CheckCounts(vocabulary, chosen.kName));
        return Make(chosen, vocabulary);
      },
      options);
}

ModelShape ShapeFor(const ObjectiveOptions& options, size_t vocab_size,
                    size_t dim) {
  ModelShape shape{.vocab_size = vocab_size,
                   .output_rows = vocab_size,
                   .dim = dim,
                   .output_bias = std::nullopt,
                   .input_range = 0,
                   .position_weights = {}};
  if (std::holds_alternative<HierarchicalSoftmaxOptions>(options)) {
    shape.output_rows = vocab_size - 1;
  }
  if (std::holds_alternative<NceOptions>(options)) {
    // Scores start at -ln V: the uniform distribution, with Z = 1.
    shape.output_bias =
        static_cast<float>(-std::log(static_cast<double>(vocab_size)));
  }
  return shape;
}

uint64_t ObjectiveTableBytes(const ObjectiveOptions& options,
                             size_t vocab_size) {
  return std::visit(
      [&](const auto& chosen) { return TableBytes(chosen, vocab_size); },
      options);
}

uint64_t ObjectiveWorkerBytes(const ObjectiveOptions& options,
                              size_t vocab_size, size_t dim, int threads,
                              bool composed) {
  if (const auto* softmax = std::get_if<FullSoftmaxOptions>(&options)) {
    return SoftmaxBatch::Bytes(static_cast<size_t>(softmax->batch), vocab_size,
                               dim);
  }
  const bool tree = std::holds_alternative<HierarchicalSoftmaxOptions>(options);
  const uint64_t rows = tree ? NumHotNodes(vocab_size, threads)
                             : NumHotWords(vocab_size, threads, composed);
  return (uint64_t{64} << 10) +
         2 * rows * PaddedStride<float>(dim) * sizeof(float);
}

}  // namespace firth
