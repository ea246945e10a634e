// libFuzzer harness: TextSource, decompressors and Tokenize().

#include "fuzz/fuzzed_readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return firth::FuzzReader("text_source", data, size);
}
