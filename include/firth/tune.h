// The search for a classifier's options.

#ifndef FIRTH_TUNE_H_
#define FIRTH_TUNE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/classifier.h"
#include "firth/labelled_text.h"
#include "firth/progress.h"

namespace firth {

class FieldTable;

// The figure that tuning makes as good as it can.
struct TuneMetric {
  enum class Kind { kAccuracy, kMacroF1, kMicroF1, kPrecisionAtRecall };
  Kind kind = Kind::kAccuracy;
  double recall = 0;  // of kPrecisionAtRecall, in (0, 1)
  std::string label;  // of kPrecisionAtRecall
};
// Reads "accuracy", "macro-f1", "micro-f1" or "precision@recall=.9:label".
// Returns false, and changes nothing, where the text is none of them.
bool ParseTuneMetric(const std::string& text, TuneMetric* metric);
std::string TuneMetricText(const TuneMetric& metric);

// Reads a number of tokens, such as 200M (K, M and G are thousand, million and
// milliard), or a time, such as 90s, 5m or 2h, of kTokensPerSecond a second: a
// clock would find other options each time. Returns false, and changes nothing,
// where the text is neither.
inline constexpr uint64_t kTokensPerSecond = 1000000;
bool ParseTokenBudget(const std::string& text, uint64_t* tokens);

struct TuneOptions {
  TuneMetric metric;
  uint64_t folds = 5;  // of the training texts, where none are given to
                       // measure on; 2 to 100
  // Tokens that all trials together are trained on, epochs counted; 0: 1,000
  // times those of the text, at least 5e7 and at most 1e10.
  uint64_t budget_tokens = 0;
  uint64_t max_bytes = 0;     // of the classifier's file; 0: any
  uint64_t memory_bytes = 0;  // that all trials take which run together; those
                              // that would take more are left out. 0: what is
                              // available
  uint64_t seed = 1;
  int threads = 0;  // trials at a time, each with one thread; 0: all cores

  static FieldTable Fields();
  absl::Status Validate() const;
};

// One trial: some options, on as many folds as they were worth.
struct TuneTrial {
  size_t number = 0;  // position in TuneReport::trials
  ClassifierOptions options;
  uint64_t folds = 0;    // measured on
  double share = 1;      // of the texts of a fold, trained on
  uint64_t tokens = 0;   // trained on, altogether
  double score = 0;      // mean over the folds
  double deviation = 0;  // of the mean; 0 of one fold
  uint64_t memory = 0;   // bytes, as estimated before
  uint64_t bytes = 0;    // of the classifier's file, the largest of all folds
  double seconds = 0;    // altogether
  // Empty, or why the trial counts for nothing: memory, size, a loss that was
  // not finite.
  std::string left_out;
};

struct TuneReport {
  std::vector<TuneTrial> trials;  // in order; the first one is `start`
  size_t best = 0;                // position
  uint64_t tokens = 0;            // trained on by all
  uint64_t budget_tokens = 0;
  bool interrupted = false;
};

// One line of JSON with these names but `number`, which is the position, as the
// program's --report and the C interface tell it.
std::string ReportJson(const TuneReport& report);

// Searches by successive halving (Jamieson and Talwalkar, "Non-stochastic best
// arm identification and hyperparameter optimization", AISTATS 2016): many
// options on one fold, the better half on more, until the budget is spent.
// Where the budget is small for the text, the first trials see a share of it.
// Two thirds of the budget are spent on options drawn at large, the rest around
// the best of those. Nothing that is drawn or chosen depends on clocks or
// threads: the same call finds the same options. Starts from `start`, whose
// fields are kept that `fixed` names. on_trial gets each trial whenever it has
// been measured on more. Interrupted, it returns the best so far. Errors: as
// Classifier::Train(); Cancelled before the first trial is done;
// ResourceExhausted, no trial fits max_bytes or the memory.
absl::StatusOr<TuneReport> TuneClassifier(
    absl::Span<const LabelledText> train, absl::Span<const LabelledText> valid,
    const ClassifierInputs& inputs, const ClassifierOptions& start,
    const std::vector<std::string>& fixed, const TuneOptions& options,
    const Hooks& hooks, const std::function<void(const TuneTrial&)>& on_trial);

}  // namespace firth

#endif  // FIRTH_TUNE_H_
