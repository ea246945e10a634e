// libFuzzer harness: the readers of analogies and word pairs.

#include "fuzz/fuzzed_readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return firth::FuzzReader("test_sets", data, size);
}
