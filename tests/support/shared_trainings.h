// Trainings that ranks share, which are threads of the test.

#ifndef FIRTH_TESTS_SUPPORT_SHARED_TRAININGS_H_
#define FIRTH_TESTS_SUPPORT_SHARED_TRAININGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "firth/checkpoint.h"
#include "firth/matrix.h"
#include "firth/train.h"
#include "firth/word_vectors.h"

namespace firth {

// Words "t0w0" to "t3w39": words of a topic stand together.
std::string TextOfTopics(size_t words);

// What else a training is given.
struct SharedTraining {
  InitialVectors initial = {};
  Checkpointing checkpointing = {};
  Validation validation = {};
};

// Reads the file and trains, on so many ranks; 0: alone, without any. What each
// of them has.
std::vector<absl::StatusOr<TrainedModel>> TrainShared(
    int ranks, const std::string& path, const TrainOptions& options,
    const SharedTraining& training = {});

// Between tables of one shape.
double GreatestDifference(const FloatTable& a, const FloatTable& b);

// Of the vectors of two words.
double CosineOf(const WordVectors& vectors, const char* a, const char* b);

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_SHARED_TRAININGS_H_
