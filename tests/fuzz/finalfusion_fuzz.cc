// libFuzzer harness: the reader of finalfusion.

#include "fuzz/fuzzed_readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return firth::FuzzReader("finalfusion", data, size);
}
