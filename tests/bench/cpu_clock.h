// The clock of the benchmarks: CPU time, which on a shared machine counts only
// what this program was given.

#ifndef FIRTH_TESTS_BENCH_CPU_CLOCK_H_
#define FIRTH_TESTS_BENCH_CPU_CLOCK_H_

#include <ctime>

namespace firth {

// Seconds of CPU time that this process has used.
inline double CpuSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

}  // namespace firth

#endif  // FIRTH_TESTS_BENCH_CPU_CLOCK_H_
