// A test that does not end is named, with where its threads are.

#ifndef FIRTH_TESTS_SUPPORT_STUCK_TESTS_H_
#define FIRTH_TESTS_SUPPORT_STUCK_TESTS_H_

#include "gtest/gtest.h"

namespace firth {

// Ends the program when a test has taken twenty minutes, which none does even
// under a sanitizer on a busy machine, and writes the test's name and the stack
// of each thread to standard error. Uses SIGALRM and SIGUSR2.
class StuckTests : public testing::EmptyTestEventListener {
 public:
  StuckTests();

 private:
  void OnTestStart(const testing::TestInfo& test) override;
  void OnTestEnd(const testing::TestInfo& test) override;
};

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_STUCK_TESTS_H_
