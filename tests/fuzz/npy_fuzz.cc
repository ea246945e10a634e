// libFuzzer harness: the reader of NumPy arrays and their words.

#include "fuzz/fuzzed_readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return firth::FuzzReader("npy", data, size);
}
