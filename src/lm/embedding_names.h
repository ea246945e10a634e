// Names that are used in the files of firth/embedding_file.h.

#ifndef FIRTH_LM_EMBEDDING_NAMES_H_
#define FIRTH_LM_EMBEDDING_NAMES_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace firth {

// Metadata of a .safetensors file, and its tensors.
inline constexpr char kFormatKey[] = "format";
inline constexpr char kEmbeddingsFormat[] = "firth-embeddings";
inline constexpr char kEmbeddingsTensor[] = "embeddings";
inline constexpr char kOffsetsTensor[] = "offsets";

// Returns the path of the file of offsets for the array at `path`.
inline std::string OffsetsPath(absl::string_view path) {
  return absl::StrCat(absl::StripSuffix(path, ".npy"), ".offsets.npy");
}

}  // namespace firth

#endif  // FIRTH_LM_EMBEDDING_NAMES_H_
