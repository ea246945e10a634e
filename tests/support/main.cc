// The test program's entry point.

#include <iostream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "support/stuck_tests.h"

// clang's OpenMP runtime does not free the records of its threads when a
// program ends, nor fontconfig, by which plots are drawn as PNG, what it knows
// of fonts; for LeakSanitizer (`make asan`). The name is the sanitizer's.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT
  return "leak:libomp\nleak:libfontconfig\n";
}

namespace {

// Names the tests that did not run, above GoogleTest's summary, which counts
// them.
class SkippedTests : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& test) override {
    if (!test.result()->Skipped()) return;
    names_.push_back(std::string(test.test_suite_name()) + "." + test.name());
  }
  void OnTestIterationEnd(const testing::UnitTest&, int) override {
    for (const std::string& name : names_) {
      std::cout << "not run: " << name << "\n";
    }
    names_.clear();
  }
  std::vector<std::string> names_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::TestEventListeners& listeners =
      testing::UnitTest::GetInstance()->listeners();
  listeners.Append(new SkippedTests);
  listeners.Append(new firth::StuckTests);
  return RUN_ALL_TESTS();
}
