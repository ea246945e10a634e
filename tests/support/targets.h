// Running a test once for every instruction set that this machine has.

#ifndef FIRTH_TESTS_SUPPORT_TARGETS_H_
#define FIRTH_TESTS_SUPPORT_TARGETS_H_

#include <cstdint>

#include "gtest/gtest.h"
#include "hwy/highway.h"

namespace firth {

// Calls test() with each target as the one that HWY_DYNAMIC_DISPATCH chooses.
template <class Test>
void ForEachTarget(const Test& test) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    test();
    hwy::SetSupportedTargetsForTest(0);
  }
}

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_TARGETS_H_
