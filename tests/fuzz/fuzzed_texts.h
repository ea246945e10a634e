// The fuzzed readers of sentence and document vectors: training texts, test
// sets and models; fuzzed_readers.cc lists them.

#ifndef FIRTH_TESTS_FUZZ_FUZZED_TEXTS_H_
#define FIRTH_TESTS_FUZZ_FUZZED_TEXTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "firth/checkpoint.h"

namespace firth {

// A byte that chooses the kind of texts and options, and the texts.
absl::Status TrainSentencesOn(absl::string_view bytes);
std::vector<std::string> SentenceTextSeeds();
// A .npy file of a teacher.
absl::Status ReadTeacherVectors(absl::string_view bytes);
std::vector<std::string> TeacherSeeds();
absl::Status TrainSmallSentences(const Checkpointing& saving);

// The files of a retrieval test set with "\f" between them, of which the first
// is also read as pairs with scores.
absl::Status ReadTextSets(absl::string_view bytes);
std::vector<std::string> TextSetSeeds();

// A byte that chooses options, and documents.
absl::Status ReadDocumentTexts(absl::string_view bytes);
std::vector<std::string> DocumentTextSeeds();
// A file of a document model.
absl::Status ReadDocumentModel(absl::string_view bytes);
std::vector<std::string> DocumentModelSeeds();

}  // namespace firth

#endif  // FIRTH_TESTS_FUZZ_FUZZED_TEXTS_H_
