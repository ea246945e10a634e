// The options that a tuning tries.

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
  // resolved: `start` with numbers in place of what is chosen automatically,
  // around which numbers are drawn. tokens: of the text that is learnt from.
  // fixed: the names of fields that stay.
  OptionSpace(const ClassifierOptions& start, const ClassifierOptions& resolved,
              uint64_t tokens, const ClassifierInputs& inputs,
              const TuneMetric& metric, const std::vector<std::string>& fixed);

  // Changes some options of `from`, at least one. spread: in (0, 1], the
  // greater the more of them, and the numbers further.
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
  // A number around `value`, by a factor of at most `most` at full spread.
  static double Around(double value, double most, double spread, Rng* rng);

  const ClassifierOptions start_;
  const ClassifierOptions resolved_;
  const uint64_t tokens_;
  const std::set<std::string> fixed_;
  std::vector<Knob> knobs_;
};

// Names all that a tuning changes; the same for options that train alike.
std::string OptionKey(const ClassifierOptions& options);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_OPTION_SPACE_H_
