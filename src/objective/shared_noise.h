// SharedNoise: the common part of negative sampling and NCE. Each block has K
// noise words, drawn once for one window or for two neighboring ones.

#ifndef FIRTH_OBJECTIVE_SHARED_NOISE_H_
#define FIRTH_OBJECTIVE_SHARED_NOISE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "base/shared_matrix.h"
#include "base/worker_table.h"
#include "firth/word_id.h"
#include "model/embedding_model.h"
#include "objective/objective_tables.h"
#include "vocab/noise_distribution.h"

namespace firth {

class SharedNoise {
 public:
  // Maximum number of windows that share their noise words.
  static constexpr size_t kMostCenters = 2;

  SharedNoise(int negatives, const ObjectiveTables& tables)
      : distribution_(*tables.noise), bits_(static_cast<size_t>(negatives)) {}

  size_t MaxRows() const { return bits_.size() + kMostCenters; }

  // Draws the bits of the next block's words, and prefetches the memory that
  // ForEachWord() reads.
  void Draw(Rng rng) {
    for (uint64_t& bits : bits_) {
      bits = rng.Next();
      distribution_.Prefetch(bits);
    }
  }

  // Calls call(word) for the noise words that were drawn last.
  template <class Call>
  void ForEachWord(const Call& call) const {
    for (const uint64_t bits : bits_) call(distribution_.WordOf(bits));
  }

 private:
  const NoiseDistribution& distribution_;
  std::vector<uint64_t> bits_;  // [negatives]
};

// Returns a worker's view of the output table, with copies of the rows that are
// drawn most often.
inline WorkerTable HotWords(EmbeddingModel& model, int threads) {
  const bool composed = model.composition() != nullptr;
  return WorkerTable(model.output(), 0,
                     NumHotWords(model.output().rows(), threads, composed));
}

}  // namespace firth

#endif  // FIRTH_OBJECTIVE_SHARED_NOISE_H_
