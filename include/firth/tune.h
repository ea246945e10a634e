// Searches for the best options of a classifier.

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

// The score that tuning maximizes.
struct TuneMetric {
  enum class Kind { kAccuracy, kMacroF1, kMicroF1, kPrecisionAtRecall };
  Kind kind = Kind::kAccuracy;
  double recall = 0;  // Recall for kPrecisionAtRecall, in (0, 1).
  std::string label;  // Label for kPrecisionAtRecall.
};
// Parses "accuracy", "macro-f1", "micro-f1" or "precision@recall=.9:label".
// Returns false and changes nothing if the text is none of these.
bool ParseTuneMetric(const std::string& text, TuneMetric* metric);
std::string TuneMetricText(const TuneMetric& metric);

// Parses a number of tokens, such as 200M (K, M and G are thousand, million and
// billion), or a time, such as 90s, 5m or 2h. A time is converted at
// kTokensPerSecond, because measuring real time would give different options
// each time. Returns false and changes nothing if the text is neither.
inline constexpr uint64_t kTokensPerSecond = 1000000;
bool ParseTokenBudget(const std::string& text, uint64_t* tokens);

struct TuneOptions {
  TuneMetric metric;
  // Cross-validation folds of the training texts, if no validation texts are
  // given; 2 to 100.
  uint64_t folds = 5;
  // Training tokens of all trials together, counted in every epoch. 0 means
  // 1,000 times the tokens of the text, at least 5e7 and at most 1e10.
  uint64_t budget_tokens = 0;
  // Maximum size of the classifier's file; 0 means no limit.
  uint64_t max_bytes = 0;
  // Memory of all trials that run at the same time. Trials that need more are
  // left out. 0 means the available memory.
  uint64_t memory_bytes = 0;
  uint64_t seed = 1;
  // Trials that run at the same time, each with one thread; 0 means all cores.
  int threads = 0;

  static FieldTable Fields();
  absl::Status Validate() const;
};

// One trial: a set of options and its score on some of the folds.
struct TuneTrial {
  size_t number = 0;  // Index in TuneReport::trials.
  ClassifierOptions options;
  uint64_t folds = 0;    // Number of folds measured.
  double share = 1;      // Fraction of the texts of a fold used for training.
  uint64_t tokens = 0;   // Training tokens in total.
  double score = 0;      // Mean score over the folds.
  double deviation = 0;  // Standard deviation of the mean; 0 for one fold.
  uint64_t memory = 0;   // Estimated memory in bytes.
  // Size of the classifier's file, the largest of all folds.
  uint64_t bytes = 0;
  double seconds = 0;  // Total duration.
  // Empty, or the reason why the trial is ignored: memory, size, or a loss that
  // was not finite.
  std::string left_out;
};

struct TuneReport {
  std::vector<TuneTrial> trials;  // Trials in order; the first one is `start`.
  size_t best = 0;                // Index of the best trial.
  uint64_t tokens = 0;            // Training tokens of all trials.
  uint64_t budget_tokens = 0;
  bool interrupted = false;
};

// Returns the report as one line of JSON with these names, as --report and the
// C interface write it. `number` is omitted, since it is the position.
std::string ReportJson(const TuneReport& report);

// Searches for options by successive halving (Jamieson and Talwalkar,
// "Non-stochastic best arm identification and hyperparameter optimization",
// AISTATS 2016): many options are tried on one fold, and the better half on
// more, until the budget is spent. If the budget is small for the text, the
// first trials use a fraction of the text. Two thirds of the budget are spent
// on options drawn from the whole range, and the rest near the best of those.
// The search starts from `start`, whose fields named in `fixed` are kept. The
// result does not depend on timing or threads. on_trial receives each trial
// whenever it has been measured on more data. If interrupted, returns the best
// so far. Errors: as for Classifier::Train(); Cancelled before the first trial
// is done; ResourceExhausted, no trial fits max_bytes or the memory.
absl::StatusOr<TuneReport> TuneClassifier(
    absl::Span<const LabelledText> train, absl::Span<const LabelledText> valid,
    const ClassifierInputs& inputs, const ClassifierOptions& start,
    const std::vector<std::string>& fixed, const TuneOptions& options,
    const Hooks& hooks, const std::function<void(const TuneTrial&)>& on_trial);

}  // namespace firth

#endif  // FIRTH_TUNE_H_
