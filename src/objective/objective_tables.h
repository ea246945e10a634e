// What the objectives look up: noise table, tree. Made once, read by all
// workers.

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
  std::optional<NoiseDistribution> noise;  // ns, nce
  std::vector<float> log_noise;            // nce: ln(k q(w)) of each word
  std::optional<HuffmanTree> tree;         // hs
};

// Errors: InvalidArgument when the vocabulary does not allow the objective:
// fewer than 2 words, or counts all 0 where noise or a tree is made from them.
absl::StatusOr<ObjectiveTables> MakeObjectiveTables(
    const ObjectiveOptions& options, const Vocabulary& vocabulary);

// The output rows that each of several workers has a copy of: of a tree the
// inner nodes near its root, else the most frequent words. composed: input
// vectors are put together from rows of n-grams.
size_t NumHotNodes(size_t num_nodes, int threads);
size_t NumHotWords(size_t num_words, int threads, bool composed);

// The tables that a model for this objective has.
ModelShape ShapeFor(const ObjectiveOptions& options, size_t vocab_size,
                    size_t dim);

// Bytes of ObjectiveTables, about.
uint64_t ObjectiveTableBytes(const ObjectiveOptions& options,
                             size_t vocab_size);

// Bytes that the buffers of one of `threads` workers for the objective take,
// about. composed: see NumHotWords().
uint64_t ObjectiveWorkerBytes(const ObjectiveOptions& options,
                              size_t vocab_size, size_t dim, int threads,
                              bool composed);

}  // namespace firth

#endif  // FIRTH_OBJECTIVE_OBJECTIVE_TABLES_H_
