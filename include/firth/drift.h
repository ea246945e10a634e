// How words moved between two models: of two times, two corpora, two seeds.
//
// The vectors of the old model are rotated into the space of the new one by the
// words that both have (orthogonal Procrustes, firth/align.h), after which the
// cosine of a word's two vectors tells how little it moved (Hamilton, Leskovec
// and Jurafsky, "Diachronic word embeddings reveal statistical laws of semantic
// change", ACL 2016). Words move by chance, too, rare ones more than frequent
// ones (Dubossarsky et al., EMNLP 2017), so that each is compared with words as
// frequent as it is. Its neighbors in both models need no rotation (Gonen et
// al., "Simple, interpretable and stable method for detecting words with usage
// change", ACL 2020).

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
  uint64_t restrict = 20'000;  // words compared: the most frequent common ones;
                               // 0: all
  uint64_t band = 500;  // words of like frequency that say what is usual, 10 to
                        // 1000000
  int neighbors = 25;   // of a word in each model, 1 to 10000

  static FieldTable Fields();
  absl::Status Validate() const;
};

struct WordDrift {
  WordId word;    // in Drift::vocabulary()
  double cosine;  // of the old and the new vector, in [-1, 1]
  // The share of the words of like frequency whose cosine is as low or lower,
  // this word among them, so that it is never 0. With another seed of the old
  // model, their cosines are those between both seeds: how often chance alone
  // moves a word so far. Without one, those between old and new: how unusual
  // the move is.
  double p;
  double chance_cosine;  // of the word between both seeds; NaN without another
};

// The neighbors of a word, best first, with their cosines in the model that
// has them, or in the new one for those that stay.
struct NeighborChange {
  std::vector<Neighbor> lost;  // of the old model only
  std::vector<Neighbor> won;   // of the new model only
  std::vector<Neighbor> kept;  // of both
  double overlap;              // the share of the neighbors that stays, 0 to 1
  double chance_overlap;  // the same between both seeds; NaN without another
};

// Compares two models. Immutable; any number of threads may ask.
class Drift {
 public:
  // `other_seed`: a model that was trained as the old one was, with another
  // seed. Errors: InvalidArgument, options, other dimensions, no word in common
  // whose vectors have a norm; ResourceExhausted.
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

  // The words that are compared, with the counts of the new model. They are
  // ordered by their rank in the model where they are rarer.
  const Vocabulary& vocabulary() const;
  // The count of a word in the old model.
  uint64_t OldCount(WordId word) const;

  WordDrift Measure(WordId word) const;
  // The words that moved most for their frequency: by p, then by the cosine.
  std::vector<WordDrift> MostMoved(size_t top) const;
  // Neighbors are words that are compared, too.
  NeighborChange Neighbors(WordId word) const;

 private:
  struct Body;
  explicit Drift(std::unique_ptr<const Body> body);
  // models: the old one, the new one and perhaps another seed.
  static absl::StatusOr<Drift> Make(
      const std::vector<const WordVectors*>& models,
      const DriftOptions& options);
  std::unique_ptr<const Body> body_;
};

}  // namespace firth

#endif  // FIRTH_DRIFT_H_
