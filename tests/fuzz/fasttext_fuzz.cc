// libFuzzer harness: the reader of fastText's models.

#include "fuzz/fuzzed_readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return firth::FuzzReader("fasttext", data, size);
}
