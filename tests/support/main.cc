// The test program's entry point.

#include "gtest/gtest.h"

// clang's OpenMP runtime does not free the records of its threads when a
// program ends; for LeakSanitizer (`make asan`). The name is the sanitizer's.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT
  return "leak:libomp\n";
}

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
