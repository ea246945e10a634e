// Confidence intervals of proportions, and a test whether two of them differ.

#ifndef FIRTH_PROPORTIONS_H_
#define FIRTH_PROPORTIONS_H_

#include <cstdint>

namespace firth {

struct Interval {
  double low = 0;
  double high = 1;
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
