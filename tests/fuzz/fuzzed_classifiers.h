// The fuzzed readers of classifiers, our files and fastText's supervised
// models, and of the texts that they learn from. fuzzed_readers.cc lists it.

#ifndef FIRTH_TESTS_FUZZ_FUZZED_CLASSIFIERS_H_
#define FIRTH_TESTS_FUZZ_FUZZED_CLASSIFIERS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

absl::Status ReadClassifier(absl::string_view bytes);
std::vector<std::string> ClassifierSeeds();

// Texts with labels; the first byte chooses their form.
absl::Status ReadLabelled(absl::string_view bytes);
std::vector<std::string> LabelledSeeds();

}  // namespace firth

#endif  // FIRTH_TESTS_FUZZ_FUZZED_CLASSIFIERS_H_
