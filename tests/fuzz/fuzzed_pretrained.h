// The fuzzed readers of others' folders; fuzzed_readers.cc lists them.

#ifndef FIRTH_TESTS_FUZZ_FUZZED_PRETRAINED_H_
#define FIRTH_TESTS_FUZZ_FUZZED_PRETRAINED_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

// A file of the smallest GPT-2's folder or of the smallest BERT's, which the
// first byte chooses: its configuration, that of its tokenizer, the index of
// its weights, its pieces or its merges. The others are good.
absl::Status ReadPretrainedFile(absl::string_view bytes);
std::vector<std::string> PretrainedFileSeeds();

// The weights in such a folder: a GPT-2's if they name its first tensor.
absl::Status ReadPretrainedWeights(absl::string_view bytes);
std::vector<std::string> PretrainedWeightsSeeds();

// A language model that was imported of them, as a file.
std::string ImportedModelSeed();

}  // namespace firth

#endif  // FIRTH_TESTS_FUZZ_FUZZED_PRETRAINED_H_
