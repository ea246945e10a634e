// Measures how words moved between two models: of two times, two corpora or two
// seeds.
//
// The vectors of the old model are rotated into the space of the new one by the
// words common to both (orthogonal Procrustes, firth/align.h). The cosine
// between a word's two vectors then measures how little it moved (Hamilton,
// Leskovec and Jurafsky, "Diachronic word embeddings reveal statistical laws of
// semantic change", ACL 2016). Words also move by chance, rare ones more than
// frequent ones (Dubossarsky et al., EMNLP 2017), so each word is compared with
// words of similar frequency. Comparing a word's neighbors in both models needs
// no rotation (Gonen et al., "Simple, interpretable and stable method for
// detecting words with usage change", ACL 2020).

#ifndef FIRTH_DRIFT_H_
#define FIRTH_DRIFT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "firth/query.h"
#include "firth/vocabulary.h"
#include "firth/word_vectors.h"

namespace firth {

class FieldTable;

struct DriftOptions {
  // Number of words to compare, the most frequent common ones; 0 means all.
  uint64_t restrict = 20'000;
  // Number of words of similar frequency with which a word's move is compared,
  // 10 to 1000000.
  uint64_t band = 500;
  int neighbors = 25;  // Neighbors of a word in each model, 1 to 10000.

  static FieldTable Fields();
  absl::Status Validate() const;
};

struct WordDrift {
  WordId word;    // Id in Drift::vocabulary().
  double cosine;  // Cosine of the old and the new vector, in [-1, 1].
  // Fraction of the words of similar frequency whose cosine is as low or lower.
  // It includes this word, so it is never 0. With a second seed of the old
  // model, their cosines are those between the two seeds, and p is how often
  // chance alone moves a word this far. Without one, they are those between old
  // and new, and p is how unusual the move is.
  double p;
  // Cosine of the word between both seeds; NaN without a second seed.
  double chance_cosine;
};

// How the neighbors of a word changed. Lists are best first. Cosines are those
// of the model that has the neighbor, or of the new model if both have it.
struct NeighborChange {
  std::vector<Neighbor> lost;  // Neighbors in the old model only.
  std::vector<Neighbor> won;   // Neighbors in the new model only.
  std::vector<Neighbor> kept;  // Neighbors in both models.
  double overlap;              // Fraction of the neighbors that stayed, 0 to 1.
  // Overlap between both seeds; NaN without a second seed.
  double chance_overlap;
};

// Compares two models. Immutable; thread-safe.
class Drift {
 public:
  // Creates a comparison. `other_seed` is a model trained like the old one but
  // with another seed. Errors: InvalidArgument, bad options, different
  // dimensions, or no common word whose vectors are nonzero; ResourceExhausted.
  static absl::StatusOr<Drift> Create(const WordVectors& old_vectors,
                                      const WordVectors& new_vectors,
                                      const DriftOptions& options);
  static absl::StatusOr<Drift> Create(const WordVectors& old_vectors,
                                      const WordVectors& new_vectors,
                                      const WordVectors& other_seed,
                                      const DriftOptions& options);
  ~Drift();
  Drift(Drift&&) noexcept;
  Drift& operator=(Drift&&) noexcept;

  // Returns the compared words, with their counts in the new model, ordered by
  // their rank in the model in which they are rarer.
  const Vocabulary& vocabulary() const;
  // Returns the count of a word in the old model.
  uint64_t OldCount(WordId word) const;

  WordDrift Measure(WordId word) const;
  // Returns the words that moved most for their frequency, ordered by p and
  // then by cosine.
  std::vector<WordDrift> MostMoved(size_t top) const;
  // Returns the changes in a word's neighbors, which are compared words too.
  NeighborChange Neighbors(WordId word) const;

 private:
  struct Body;
  explicit Drift(std::unique_ptr<const Body> body);
  // `models` holds the old model, the new model, and optionally the second
  // seed.
  static absl::StatusOr<Drift> Make(
      const std::vector<const WordVectors*>& models,
      const DriftOptions& options);
  std::unique_ptr<const Body> body_;
};

}  // namespace firth

#endif  // FIRTH_DRIFT_H_
