// The fuzzed readers of what the contextual layers read; fuzzed_readers.cc
// lists them.

#ifndef FIRTH_TESTS_FUZZ_FUZZED_MODELS_H_
#define FIRTH_TESTS_FUZZ_FUZZED_MODELS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "firth/checkpoint.h"

namespace firth {

// Trainings of moments, which are saved or go on.
absl::Status TrainSmallLanguageModel(const Checkpointing& saving);
absl::Status TrainSmallTagger(const Checkpointing& saving);

absl::Status ReadLanguageModel(absl::string_view bytes);
std::vector<std::string> LanguageModelSeeds();

absl::Status ReadElmoOptionsFile(absl::string_view bytes);
std::vector<std::string> ElmoOptionsSeeds();

absl::Status ReadHdf5(absl::string_view bytes);
std::vector<std::string> Hdf5Seeds();

absl::Status ReadTagger(absl::string_view bytes);
std::vector<std::string> TaggerSeeds();

// Reads a tagger that is a hidden Markov model.
absl::Status ReadHmm(absl::string_view bytes);
std::vector<std::string> HmmSeeds();

absl::Status ReadTags(absl::string_view bytes);
std::vector<std::string> TagSeeds();

absl::Status ReadSenseFile(absl::string_view bytes);
std::vector<std::string> SenseSeeds();

}  // namespace firth

#endif  // FIRTH_TESTS_FUZZ_FUZZED_MODELS_H_
