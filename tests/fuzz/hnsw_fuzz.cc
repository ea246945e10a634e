// libFuzzer harness: HnswGraph::FromLinks().

#include "fuzz/fuzzed_readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return firth::FuzzReader("hnsw", data, size);
}
