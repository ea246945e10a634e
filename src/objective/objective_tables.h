// The lookup tables of the objectives (noise table, tree). They are created
// once and read by all workers.

#ifndef FIRTH_OBJECTIVE_OBJECTIVE_TABLES_H_
#define FIRTH_OBJECTIVE_OBJECTIVE_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "firth/train.h"
#include "firth/vocabulary.h"
#include "model/embedding_model.h"
#include "vocab/huffman_tree.h"
#include "vocab/noise_distribution.h"

namespace firth {

struct ObjectiveTables {
  std::optional<NoiseDistribution> noise;  // For ns and nce.
  std::vector<float> log_noise;            // ln(k q(w)) of each word, for nce.
  std::optional<HuffmanTree> tree;         // For hs.
};

// Creates the tables. Errors: InvalidArgument if the vocabulary does not allow
// the objective: fewer than 2 words, or counts that are all 0 although noise or
// a tree is based on them.
absl::StatusOr<ObjectiveTables> MakeObjectiveTables(
    const ObjectiveOptions& options, const Vocabulary& vocabulary);

// Return the number of output rows of which each of several workers has a copy:
// the inner nodes near the root of a tree, or the most frequent words.
// `composed`: whether input vectors are composed of rows of n-grams.
size_t NumHotNodes(size_t num_nodes, int threads);
size_t NumHotWords(size_t num_words, int threads, bool composed);

// Returns the shape of the tables of a model for this objective.
ModelShape ShapeFor(const ObjectiveOptions& options, size_t vocab_size,
                    size_t dim);

// Estimates the bytes of ObjectiveTables.
uint64_t ObjectiveTableBytes(const ObjectiveOptions& options,
                             size_t vocab_size);

// Estimates the bytes of the buffers of one of `threads` workers. composed: see
// NumHotWords().
uint64_t ObjectiveWorkerBytes(const ObjectiveOptions& options,
                              size_t vocab_size, size_t dim, int threads,
                              bool composed);

}  // namespace firth

#endif  // FIRTH_OBJECTIVE_OBJECTIVE_TABLES_H_
