// The fuzzed readers of counting models. fuzzed_readers.cc lists them.

#ifndef FIRTH_TESTS_FUZZ_FUZZED_NGRAMS_H_
#define FIRTH_TESTS_FUZZ_FUZZED_NGRAMS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

// Reads ARPA files, plain or compressed, and files of arrays.
absl::Status ReadCountingModel(absl::string_view bytes);
std::vector<std::string> ArpaSeeds();
std::vector<std::string> CountingModelSeeds();

}  // namespace firth

#endif  // FIRTH_TESTS_FUZZ_FUZZED_NGRAMS_H_
