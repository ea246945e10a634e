// The fuzzed reader of command lines; fuzzed_readers.cc lists it.

#ifndef FIRTH_TESTS_FUZZ_FUZZED_OPTIONS_H_
#define FIRTH_TESTS_FUZZ_FUZZED_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

absl::Status ReadCommandLine(absl::string_view bytes);
std::vector<std::string> CommandLineSeeds();

}  // namespace firth

#endif  // FIRTH_TESTS_FUZZ_FUZZED_OPTIONS_H_
