// The ceiling that kernels are held against: what the core can multiply and add
// with all operands in registers.

#ifndef FIRTH_TESTS_BENCH_FMA_PEAK_H_
#define FIRTH_TESTS_BENCH_FMA_PEAK_H_

#include <cstddef>

namespace firth {

// Multiply-adds of floats, `rounds` times as many as one round has, with the
// instructions of the target that Highway has chosen. Returns the floating
// point operations done, two a multiply-add. Instruction sets without a fused
// one multiply, then add.
double RunMultiplyAdds(size_t rounds);

// FLOP/s of RunMultiplyAdds(): the best of many short runs, by CPU time, since
// whatever disturbs a run makes it slower. Takes about 0.2 s.
double MeasureFmaPeak();

}  // namespace firth

#endif  // FIRTH_TESTS_BENCH_FMA_PEAK_H_
