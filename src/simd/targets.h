// Which instruction sets the kernels are built for. Included before any header
// of Highway by every file with per-target code.
//
// On x86-64: SSE4, which is the Makefile's baseline, AVX2 and AVX-512; what
// lies between brings our kernels nothing. On ARM NEON: kernels keep vectors in
// arrays, which SVE's types do not allow.

#ifndef FIRTH_SIMD_TARGETS_H_
#define FIRTH_SIMD_TARGETS_H_

#include "hwy/detect_targets.h"

#undef HWY_DISABLED_TARGETS
// The flavours that check (sanitizers, coverage) build only AVX2 and, instead
// of SSE4, what a processor without vectors would run: it is the same source,
// and each target takes them minutes to compile.
#ifdef FIRTH_FEW_TARGETS
#define FIRTH_UNCHECKED_TARGETS (HWY_SSE4 | HWY_AVX3)
#else
#define FIRTH_UNCHECKED_TARGETS 0
#endif
#define HWY_DISABLED_TARGETS                                                \
  (FIRTH_UNCHECKED_TARGETS | HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | \
   HWY_SVE_256 | HWY_SVE2_128)

#endif  // FIRTH_SIMD_TARGETS_H_
