// The readers of files from outside, each as a function of bytes: libFuzzer
// calls them with bytes of its own (`make fuzz`), a test with those that it
// found before (tests/fuzz/corpus).

#ifndef FIRTH_TESTS_FUZZ_FUZZED_READERS_H_
#define FIRTH_TESTS_FUZZ_FUZZED_READERS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace firth {

struct FuzzedReader {
  const char* name;
  // Reads the bytes, from a file where the reader wants one, and uses what came
  // of them; ends the program where that is no good object. One thread at a
  // time.
  absl::Status (*read)(absl::string_view bytes);
  // Good files, of our own writers where there are any.
  std::vector<std::string> (*seeds)();
};

absl::Span<const FuzzedReader> FuzzedReaders();

// Null if there is none of that name.
const FuzzedReader* FindFuzzedReader(absl::string_view name);

}  // namespace firth

#endif  // FIRTH_TESTS_FUZZ_FUZZED_READERS_H_
