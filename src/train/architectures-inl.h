// The list of architectures, for the per-target build. Each has a
// MakeArchitecture() for its alternative of ArchitectureOptions.

#include "simd/targets.h"

#if defined(FIRTH_TRAIN_ARCHITECTURES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_TRAIN_ARCHITECTURES_INL_H_
#undef FIRTH_TRAIN_ARCHITECTURES_INL_H_
#else
#define FIRTH_TRAIN_ARCHITECTURES_INL_H_
#endif

#include "train/cbow-inl.h"
#include "train/skip_gram-inl.h"

#endif  // per-target include guard
