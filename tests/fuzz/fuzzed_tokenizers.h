// Fuzzes tokenizers that follow a tokenizer.json.

#ifndef FIRTH_TESTS_FUZZ_FUZZED_TOKENIZERS_H_
#define FIRTH_TESTS_FUZZ_FUZZED_TOKENIZERS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

// The input is a tokenizer.json, NUL, and a text.
absl::Status EncodeText(absl::string_view bytes);
std::vector<std::string> TokenizerSeeds();

}  // namespace firth

#endif  // FIRTH_TESTS_FUZZ_FUZZED_TOKENIZERS_H_
