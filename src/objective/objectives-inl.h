// The list of objectives, for the per-target build. Each file has a
// MakeObjective() for its alternative of ObjectiveOptions.

#include "objective/full_softmax.h"
#include "simd/targets.h"

#if defined(FIRTH_OBJECTIVE_OBJECTIVES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_OBJECTIVE_OBJECTIVES_INL_H_
#undef FIRTH_OBJECTIVE_OBJECTIVES_INL_H_
#else
#define FIRTH_OBJECTIVE_OBJECTIVES_INL_H_
#endif

#include "objective/hierarchical_softmax-inl.h"
#include "objective/nce-inl.h"
#include "objective/negative_sampling-inl.h"

#endif  // per-target include guard
