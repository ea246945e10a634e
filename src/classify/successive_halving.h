// The search for options as a tournament: what is tried, on how much text, and
// what goes on to the next round. It knows no classifier; training and
// measuring are functions that it is given.

#ifndef FIRTH_SRC_CLASSIFY_SUCCESSIVE_HALVING_H_
#define FIRTH_SRC_CLASSIFY_SUCCESSIVE_HALVING_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "base/rng.h"
#include "firth/classifier.h"
#include "firth/progress.h"
#include "firth/tune.h"

namespace firth {

// The score of some options, learnt from a share of the texts outside a fold
// and measured on the fold.
struct Measured {
  double score = 0;
  uint64_t tokens = 0;   // trained on, epochs counted
  uint64_t bytes = 0;    // of the classifier's file; 0: not asked
  std::string left_out;  // see TuneTrial
};

struct Tournament {
  size_t folds = 1;
  // The smallest share of the texts that still says something, in (0, 1].
  double smallest_share = 1;
  uint64_t budget_tokens = 0;
  uint64_t memory_bytes = 0;  // of the trials that run together
  uint64_t seed = 1;
  int threads = 1;  // trials at a time

  // Called by several threads at a time. Its errors end the search; Cancelled
  // leaves what has been found.
  std::function<absl::StatusOr<Measured>(const ClassifierOptions& options,
                                         size_t fold, double share)>
      measure;
  // Tokens that it will be trained on for one fold and all texts.
  std::function<uint64_t(const ClassifierOptions& options)> tokens;
  // Bytes that it will take.
  std::function<uint64_t(const ClassifierOptions& options)> memory;
  // Options that resemble `from`, the more the smaller `spread` is, in (0, 1].
  std::function<ClassifierOptions(const ClassifierOptions& from, double spread,
                                  Rng* rng)>
      draw;
  // The same text for options that are the same.
  std::function<std::string(const ClassifierOptions& options)> key;
};

// Errors: see TuneClassifier().
absl::StatusOr<TuneReport> RunTournament(
    const Tournament& tournament, const ClassifierOptions& start,
    const Hooks& hooks, const std::function<void(const TuneTrial&)>& on_trial);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_SUCCESSIVE_HALVING_H_
