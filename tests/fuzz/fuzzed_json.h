// The reader of JSON, beside the parser of nlohmann's library.

#ifndef FIRTH_TESTS_FUZZ_FUZZED_JSON_H_
#define FIRTH_TESTS_FUZZ_FUZZED_JSON_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

absl::Status ReadJsonText(absl::string_view bytes);
std::vector<std::string> JsonSeeds();

}  // namespace firth

#endif  // FIRTH_TESTS_FUZZ_FUZZED_JSON_H_
