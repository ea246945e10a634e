// libFuzzer harness: the reader of floret's text.

#include "fuzz/fuzzed_readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return firth::FuzzReader("floret", data, size);
}
