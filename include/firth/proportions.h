// Proportions, their confidence intervals, and a test whether two of them
// differ.

#ifndef FIRTH_PROPORTIONS_H_
#define FIRTH_PROPORTIONS_H_

#include <cstdint>

namespace firth {

struct Interval {
  double low = 0;
  double high = 1;
};

// Returns part / whole, or 0 if `whole` is 0.
double Ratio(uint64_t part, uint64_t whole);

// Numbers of things that a text has (gold), that a model found, and that it
// found correctly.
struct FoundCounts {
  uint64_t gold = 0;
  uint64_t found = 0;
  uint64_t correct = 0;

  // Scores in [0, 1]; 0 if undefined.
  double precision() const { return Ratio(correct, found); }
  double recall() const { return Ratio(correct, gold); }
  double f1() const { return Ratio(2 * correct, gold + found); }
};

// Returns the 95% interval of a proportion (Wilson 1927), or [0, 1] if nothing
// was asked.
Interval WilsonInterval(uint64_t correct, uint64_t asked);

// Returns the probability of a difference at least this large if both are
// equally good: McNemar's exact test (1947), two-sided. The arguments are the
// numbers of questions that only the first and only the second answered
// correctly.
double McNemarP(uint64_t only_first, uint64_t only_second);

}  // namespace firth

#endif  // FIRTH_PROPORTIONS_H_
