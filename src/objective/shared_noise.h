// SharedNoise: what negative sampling and NCE have in common. Each block has K
// noise words, drawn once for one window or for two neighbouring ones.

#ifndef FIRTH_OBJECTIVE_SHARED_NOISE_H_
#define FIRTH_OBJECTIVE_SHARED_NOISE_H_

#include <cstddef>

#include "absl/types/span.h"
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
  // The most windows that may share their noise words.
  static constexpr size_t kMostCenters = 2;

  SharedNoise(int negatives, const ObjectiveTables& tables)
      : negatives_(negatives), distribution_(*tables.noise) {}

  size_t MaxRows() const {
    return static_cast<size_t>(negatives_) + kMostCenters;
  }

  // Asks for the memory that Draw() with this `rng` reads.
  void Prefetch(Rng rng) const {
    for (int k = 0; k < negatives_; ++k) distribution_.Prefetch(rng);
  }

  int negatives() const { return negatives_; }
  WordId Draw(Rng& rng) const { return distribution_.Sample(rng); }

 private:
  int negatives_;
  const NoiseDistribution& distribution_;
};

// The output table as a worker sees it, who has copies of the rows that are
// drawn most often.
inline WorkerTable HotWords(EmbeddingModel& model, int threads) {
  const bool composed = model.composition() != nullptr;
  return WorkerTable(model.output(), 0,
                     NumHotWords(model.output().rows(), threads, composed));
}

}  // namespace firth

#endif  // FIRTH_OBJECTIVE_SHARED_NOISE_H_
