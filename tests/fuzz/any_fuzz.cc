// libFuzzer harness: LoadVectorFile(), which tells the format by the content.

#include "fuzz/fuzzed_readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return firth::FuzzReader("any", data, size);
}
