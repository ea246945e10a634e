// libFuzzer harness: CountWords(), with all of --utf8 and --lowercase.

#include "fuzz/fuzzed_readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return firth::FuzzReader("corpus", data, size);
}
