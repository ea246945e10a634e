// The search for options as a tournament: which options are tried, on how much
// text, and which advance to the next round. It does not depend on classifiers;
// training and measuring are functions that it is given.

#ifndef FIRTH_CLASSIFY_TUNE_SUCCESSIVE_HALVING_H_
#define FIRTH_CLASSIFY_TUNE_SUCCESSIVE_HALVING_H_

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

// The score of some options, trained on a fraction of the texts outside a fold
// and measured on the fold.
struct Measured {
  double score = 0;
  uint64_t tokens = 0;   // tokens trained on, counted in each epoch
  uint64_t bytes = 0;    // of the classifier's file, or 0 if not measured
  std::string left_out;  // see TuneTrial
};

struct Tournament {
  size_t folds = 1;
  // The smallest fraction of the texts that is still informative, in (0, 1].
  double smallest_share = 1;
  uint64_t budget_tokens = 0;
  uint64_t memory_bytes = 0;  // for the trials that run at the same time
  uint64_t seed = 1;
  int threads = 1;  // number of trials that run at the same time

  // Called by several threads at the same time. Its errors end the search;
  // Cancelled keeps what has been found.
  std::function<absl::StatusOr<Measured>(const ClassifierOptions& options,
                                         size_t fold, double share)>
      measure;
  // Returns the number of training tokens for one fold and all texts.
  std::function<uint64_t(const ClassifierOptions& options)> tokens;
  // Returns the number of bytes that training takes.
  std::function<uint64_t(const ClassifierOptions& options)> memory;
  // Returns options that resemble `from`, more closely the smaller `spread` is,
  // in (0, 1].
  std::function<ClassifierOptions(const ClassifierOptions& from, double spread,
                                  Rng* rng)>
      draw;
};

// Searches for the best options. Errors: those of TuneClassifier().
absl::StatusOr<TuneReport> RunTournament(
    const Tournament& tournament, const ClassifierOptions& start,
    const Hooks& hooks, const std::function<void(const TuneTrial&)>& on_trial);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_TUNE_SUCCESSIVE_HALVING_H_
