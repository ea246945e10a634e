// Reads and writes what a checkpoint of word vectors contains in addition to
// tensors: the vocabulary and the results of each epoch.

#ifndef FIRTH_TRAIN_EMBEDDING_CHECKPOINT_H_
#define FIRTH_TRAIN_EMBEDDING_CHECKPOINT_H_

#include <optional>

#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "firth/file_info.h"
#include "firth/train.h"
#include "firth/vocabulary.h"
#include "io/tensors/checked_tensors.h"
#include "nlohmann/json.hpp"

namespace firth {

// The learner's name.
constexpr char kEmbeddingLearner[] = "word vectors";

// Conversions for the JSON library, which finds them by name.
void to_json(nlohmann::json& json, const EpochReport& epoch);
void from_json(const nlohmann::json& json, EpochReport& epoch);

// Adds the vocabulary, for programs that inspect a checkpoint. Borrows it.
void AddVocabulary(const Vocabulary& vocabulary, CheckedWriter* writer);

// Returns what DescribeFile() reports about a checkpoint of word vectors, or
// nothing if the file is not one.
absl::StatusOr<std::optional<FileInfo>> DescribeEmbeddingCheckpoint(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_TRAIN_EMBEDDING_CHECKPOINT_H_
