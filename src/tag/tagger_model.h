// What a tagger is made of, and its file: a .safetensors (see
// io/tensors/checked_tensors.h) with
//
//   <parameter>  F32 [rows, cols]  "forward.0.input", "output.weights", ...
//   tags         U8 [bytes]        the tags, '\n' after each
//   vectors, contextualizer
//                U8 [bytes]        by PackTagger(): those files, as they are
//
// and as metadata "tagger" the options of the network and, of the files that
// its features come from, path, size and checksum:
//
//   {"network": {"static_dim", "contextual_dim", "mix_layers", ...,
//                "case_dim" and "char_cnn" (as of a language model), if any},
//    "vectors": {"name", "bytes", "checksum"}, "contextualizer": {the same},
//    "vectors_format": as of VectorFormat, where the vectors are in the file}

#ifndef FIRTH_TAG_TAGGER_MODEL_H_
#define FIRTH_TAG_TAGGER_MODEL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "firth/file_info.h"
#include "firth/tagger.h"
#include "io/formats/vector_format.h"
#include "tag/tag_network.h"

namespace firth {

// A file that a model needs and does not hold. It is told by its content; its
// name is for messages, and never opened.
struct FileReference {
  std::string name;  // without folders; empty: none
  uint64_t bytes = 0;
  uint64_t checksum = 0;

  bool operator==(const FileReference& other) const {
    return bytes == other.bytes && checksum == other.checksum;
  }
};

// Reads the whole file, or the one with the vectors if they are a folder; that
// of an empty path is none.
absl::StatusOr<FileReference> ReferTo(const std::string& path);

// How a file is told apart from others, for messages.
std::string Describe(const FileReference& file);

struct TaggerModel {
  std::vector<std::string> tags;
  FileReference vectors;
  FileReference contextualizer;
  // The files themselves, where the tagger's file holds them; else null.
  WholeVectors held_vectors = {};
  MappedFilePtr held_contextualizer = {};
  // The held contextualizer is what the training made of the other one.
  bool tuned = false;
  std::unique_ptr<TagNetwork<float>> network;

  bool holds_inputs() const {
    return held_vectors.file != nullptr || held_contextualizer != nullptr;
  }
};

// Writes the file: whole or not at all.
absl::Status SaveTaggerModel(const TaggerModel& model, const std::string& path);

// The name of the metadata in files of taggers, and a description of such files
// for messages.
inline constexpr char kTaggerKind[] = "tagger";
inline constexpr char kTaggerFile[] = "a tagger as \"firth tag\" writes it";

// Errors: NotFound; InvalidArgument, a file of something else; DataLoss, with
// the tensor, if it is truncated or altered.
absl::StatusOr<TaggerModel> LoadTaggerModel(const std::string& path,
                                            int threads);
// Does the same, but returns nothing if the file contains something else.
absl::StatusOr<std::optional<TaggerModel>> LoadIfTaggerModel(
    const MappedFilePtr& file, int threads);

// Whether these are the files that the model was trained with, or none where it
// holds them. Errors: InvalidArgument; NotFound.
absl::Status CheckInputs(const TaggerModel& model,
                         const std::string& model_path,
                         const TaggerInputs& inputs);

// Describes one for DescribeFile(); returns nothing if the file is none.
absl::StatusOr<std::optional<FileInfo>> DescribeTagger(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_TAG_TAGGER_MODEL_H_
