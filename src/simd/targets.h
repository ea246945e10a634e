// The instruction sets for which kernels are built. Every file with per-target
// code must include this before any header of Highway.
//
// On x86-64, these are SSE4, which is the Makefile's baseline, AVX2 and
// AVX-512; the sets in between do not make our kernels faster. On ARM, it is
// NEON: kernels have arrays of vectors, which SVE's types do not allow.

#ifndef FIRTH_SIMD_TARGETS_H_
#define FIRTH_SIMD_TARGETS_H_

#include "hwy/detect_targets.h"

#undef HWY_DISABLED_TARGETS
// Builds for checking (sanitizers, coverage) include only AVX2 and, instead of
// SSE4, the code for processors without vectors. It is the same source, and
// each target takes minutes to compile in these builds.
#ifdef FIRTH_FEW_TARGETS
#define FIRTH_UNCHECKED_TARGETS (HWY_SSE4 | HWY_AVX3)
#else
#define FIRTH_UNCHECKED_TARGETS 0
#endif
#define HWY_DISABLED_TARGETS                                                \
  (FIRTH_UNCHECKED_TARGETS | HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | \
   HWY_SVE_256 | HWY_SVE2_128)

#endif  // FIRTH_SIMD_TARGETS_H_
