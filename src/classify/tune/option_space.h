// The options that tuning tries.

#ifndef FIRTH_CLASSIFY_TUNE_OPTION_SPACE_H_
#define FIRTH_CLASSIFY_TUNE_OPTION_SPACE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/rng.h"
#include "firth/classifier.h"
#include "firth/tune.h"

namespace firth {

class OptionSpace {
 public:
  // `resolved` is `start` with numbers instead of automatic choices; numbers
  // are drawn around these. `tokens` is the size of the training text, and
  // `fixed` has the names of the fields that do not change.
  OptionSpace(const ClassifierOptions& start, const ClassifierOptions& resolved,
              uint64_t tokens, const ClassifierInputs& inputs,
              const TuneMetric& metric, const std::vector<std::string>& fixed);

  // Changes at least one option of `from`. The larger `spread`, in (0, 1], the
  // more options change, and the further numbers move.
  ClassifierOptions Draw(const ClassifierOptions& from, double spread,
                         Rng* rng) const;

 private:
  // The options being drawn, with a function for each knob that changes them.
  struct Turn;
  using Knob = void (Turn::*)();

  const ClassifierOptions start_;
  const ClassifierOptions resolved_;
  const uint64_t tokens_;
  std::vector<Knob> knobs_;
};

// Returns a text with all options that tuning changes. It is the same for
// options that give the same training.
std::string OptionKey(const ClassifierOptions& options);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_TUNE_OPTION_SPACE_H_
