// A checkpoint of word vectors holds, besides tensors, its vocabulary and what
// each epoch had; here they are written and read.

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

// The JSON library finds these by their names.
void to_json(nlohmann::json& json, const EpochReport& epoch);
void from_json(const nlohmann::json& json, EpochReport& epoch);

// For those who look into a checkpoint. Borrows the vocabulary.
void AddVocabulary(const Vocabulary& vocabulary, CheckedWriter* writer);

// What DescribeFile() tells of a checkpoint of word vectors; nothing if the
// file is none.
absl::StatusOr<std::optional<FileInfo>> DescribeEmbeddingCheckpoint(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_TRAIN_EMBEDDING_CHECKPOINT_H_
