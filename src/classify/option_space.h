// The options that tuning tries.

#ifndef FIRTH_SRC_CLASSIFY_OPTION_SPACE_H_
#define FIRTH_SRC_CLASSIFY_OPTION_SPACE_H_

#include <cstdint>
#include <set>
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
  using Knob = void (OptionSpace::*)(double spread, Rng* rng,
                                     ClassifierOptions* options) const;

  void AddKnob(const std::vector<std::string>& names, Knob knob);
  void DrawSpelling(double, Rng* rng, ClassifierOptions* options) const;
  void DrawPunctuation(double, Rng* rng, ClassifierOptions* options) const;
  void DrawWordNgrams(double, Rng* rng, ClassifierOptions* options) const;
  void DrawCharacters(double, Rng* rng, ClassifierOptions* options) const;
  void DrawMinCount(double, Rng* rng, ClassifierOptions* options) const;
  void DrawParts(double, Rng* rng, ClassifierOptions* options) const;
  void DrawClassWeights(double, Rng* rng, ClassifierOptions* options) const;
  void DrawDim(double spread, Rng* rng, ClassifierOptions* options) const;
  void DrawEpochs(double spread, Rng* rng, ClassifierOptions* options) const;
  void DrawLearningRate(double spread, Rng* rng,
                        ClassifierOptions* options) const;
  void DrawL2(double spread, Rng* rng, ClassifierOptions* options) const;
  // Returns a random number around `value`, different by a factor of at most
  // `most` at full spread.
  static double Around(double value, double most, double spread, Rng* rng);

  const ClassifierOptions start_;
  const ClassifierOptions resolved_;
  const uint64_t tokens_;
  const std::set<std::string> fixed_;
  std::vector<Knob> knobs_;
};

// Returns a text with all options that tuning changes. It is the same for
// options that give the same training.
std::string OptionKey(const ClassifierOptions& options);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_OPTION_SPACE_H_
