// Reads and writes what a checkpoint of word vectors contains in addition to
// tensors: the vocabulary, the results of each epoch, and the identity of the
// training run, which consists of its options and checksums of its data.

#ifndef FIRTH_TRAIN_EMBEDDING_CHECKPOINT_H_
#define FIRTH_TRAIN_EMBEDDING_CHECKPOINT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "corpus/token_stream.h"
#include "firth/corpus.h"
#include "firth/file_info.h"
#include "firth/train.h"
#include "firth/vocabulary.h"
#include "io/tensors/checked_tensors.h"
#include "nlohmann/json.hpp"

namespace firth {

// Names of learners.
constexpr char kEmbeddingLearner[] = "word vectors";
constexpr char kDocumentLearner[] = "document vectors";

// Conversions for the JSON library, which finds them by name.
void to_json(nlohmann::json& json, const EpochReport& epoch);
void from_json(const nlohmann::json& json, EpochReport& epoch);

// Adds the vocabulary, for programs that inspect a checkpoint. Borrows it.
void AddVocabulary(const Vocabulary& vocabulary, CheckedWriter* writer);

// Returns what DescribeFile() reports about a checkpoint of word vectors, or of
// document vectors, or nothing if the file is not one.
absl::StatusOr<std::optional<FileInfo>> DescribeEmbeddingCheckpoint(
    const MappedFilePtr& file);
absl::StatusOr<std::optional<FileInfo>> DescribeDocumentCheckpoint(
    const MappedFilePtr& file);

// Returns a checksum of words and counts, in order.
uint64_t VocabularySum(const Vocabulary& vocabulary);

// Returns a checksum of the text that a training run reads.
uint64_t TextSum(const TokenStream& text);

// Returns a checksum of a share of a text that follows `words_before` words.
// The sums of all shares add up to the same value for any division of the text.
uint64_t SumOfShare(const TokenStream& share, uint64_t words_before);

// Returns a checksum of the vectors, tables and words that training starts
// from.
uint64_t InitialSum(const InitialVectors& initial);

// Returns checksums of the held-out text and of the test sets, each after the
// word "text" or "score"; empty if nothing is measured.
std::string MeasuredOn(const Validation& validation);

// Adds checksums of the words and of the text to an identity.
void AddTextIdentity(const Vocabulary& vocabulary, uint64_t text_sum,
                     nlohmann::json* identity);

// Returns the options under their names in "firth train", and checksums. Omits
// the number of threads, which may change when training resumes.
nlohmann::json TrainingIdentity(const TrainOptions& options,
                                const Vocabulary& vocabulary, uint64_t text_sum,
                                const InitialVectors& initial,
                                const Validation& validation);

}  // namespace firth

#endif  // FIRTH_TRAIN_EMBEDDING_CHECKPOINT_H_
