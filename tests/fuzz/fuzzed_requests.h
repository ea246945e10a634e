// The fuzzed readers of the service, of requests and of facts about words;
// fuzzed_readers.cc lists them.

#ifndef FIRTH_TESTS_FUZZ_FUZZED_REQUESTS_H_
#define FIRTH_TESTS_FUZZ_FUZZED_REQUESTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

// "METHOD TARGET", a line end, and the body.
absl::Status AnswerRequest(absl::string_view bytes);
std::vector<std::string> RequestSeeds();

// A file of --labels.
absl::Status ReadLabels(absl::string_view bytes);
std::vector<std::string> LabelSeeds();

}  // namespace firth

#endif  // FIRTH_TESTS_FUZZ_FUZZED_REQUESTS_H_
