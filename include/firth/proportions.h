// Proportions: how sure they are, and whether two of them differ.

#ifndef FIRTH_PROPORTIONS_H_
#define FIRTH_PROPORTIONS_H_

#include <cstdint>

namespace firth {

struct Interval {
  double low = 0;
  double high = 1;
};

// The 95% interval of a proportion (Wilson 1927); [0, 1] where none was asked.
Interval WilsonInterval(uint64_t correct, uint64_t asked);

// How often two that are equally good differ at least so much by chance:
// McNemar's exact test (1947), two-sided, of how many questions only the first
// answered right, and only the second.
double McNemarP(uint64_t only_first, uint64_t only_second);

}  // namespace firth

#endif  // FIRTH_PROPORTIONS_H_
