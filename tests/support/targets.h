// Runs a test for each instruction set that this machine has.

#ifndef FIRTH_TESTS_SUPPORT_TARGETS_H_
#define FIRTH_TESTS_SUPPORT_TARGETS_H_

#include <cstdint>

#include "gtest/gtest.h"
#include "simd/targets.h"
// Must come after simd/targets.h.
#include "hwy/highway.h"

namespace firth::testing {

// Calls `body` with each target in turn as the one that kernels are dispatched
// to; failures name it.
template <class Body>
void ForEachTarget(const Body& body) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace firth::testing

#endif  // FIRTH_TESTS_SUPPORT_TARGETS_H_
