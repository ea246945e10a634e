// The parts of a tagger, and its file: a .safetensors (see
// io/tensors/checked_tensors.h) with
//
//   <parameter>  F32 [rows, cols]  "forward.0.input", "output.weights", ...
//   tags         U8 [bytes]        the tags, '\n' after each
//   vectors, contextualizer
//                U8 [bytes]        contents of these files, by PackTagger()
//
// and the metadata "tagger", with the options of the network and the name, size
// and checksum of each file from which its features come:
//
//   {"network": {"static_dim", "contextual_dim", "mix_layers", ...,
//                "case_dim" and "char_cnn" (as in a language model), if any},
//    "vectors": {"name", "bytes", "checksum"}, "contextualizer": {the same},
//    "vectors_format": as in VectorFormat, if the file contains the vectors}

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

// A file that a model needs and does not contain. It is identified by its
// contents. Its name is used in messages and never opened.
struct FileReference {
  std::string name;  // without folders; "" means none
  uint64_t bytes = 0;
  uint64_t checksum = 0;

  bool operator==(const FileReference& other) const {
    return bytes == other.bytes && checksum == other.checksum;
  }
};

// Reads the whole file, or the file with the vectors if the path is a folder.
// An empty path gives no reference.
absl::StatusOr<FileReference> ReferTo(const std::string& path);

// Returns the size and checksum of a file, for messages.
std::string Describe(const FileReference& file);

struct TaggerModel {
  std::vector<std::string> tags;
  FileReference vectors;
  FileReference contextualizer;
  // These files themselves if the tagger's file contains them, otherwise null.
  WholeVectors held_vectors = {};
  MappedFilePtr held_contextualizer = {};
  // Whether training changed the weights of the held contextualizer.
  bool tuned = false;
  std::unique_ptr<TagNetwork<float>> network;

  bool holds_inputs() const {
    return held_vectors.file != nullptr || held_contextualizer != nullptr;
  }
};

// Writes the file, whole or not at all.
absl::Status SaveTaggerModel(const TaggerModel& model, const std::string& path);

// The name of the metadata in files of taggers, and a description of such files
// for messages.
inline constexpr char kTaggerKind[] = "tagger";
inline constexpr char kTaggerFile[] = "a tagger as \"firth tag\" writes it";

// Errors: NotFound; InvalidArgument, another kind of file; DataLoss, with the
// tensor, if it is truncated or altered.
absl::StatusOr<TaggerModel> LoadTaggerModel(const std::string& path,
                                            int threads);
// Does the same, but returns nothing if the file contains something else.
absl::StatusOr<std::optional<TaggerModel>> LoadIfTaggerModel(
    const MappedFilePtr& file, int threads);

// Checks that these are the files with which the model was trained, or that
// there are none if it holds them. Errors: InvalidArgument; NotFound.
absl::Status CheckInputs(const TaggerModel& model,
                         const std::string& model_path,
                         const TaggerInputs& inputs);

// Describes a tagger for DescribeFile(). Returns nothing for other files.
absl::StatusOr<std::optional<FileInfo>> DescribeTagger(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_TAG_TAGGER_MODEL_H_
