// The kinds of files: each reader looks at the content and describes the file,
// says that it is of another kind, or what is wrong with it. The first to know
// it is right.

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/foreign_content.h"
#include "classify/model/classifier_file.h"
#include "classify/train/classifier_learner.h"
#include "firth/file_info.h"
#include "firth/status_macros.h"
#include "firth/vector_io.h"
#include "info/describe_lists.h"
#include "io/formats/vector_format.h"
#include "io/tensors/npy_header.h"
#include "lm/embedding_file.h"
#include "lm/language_model_learner.h"
#include "lm/text_model.h"
#include "query/hnsw_file.h"
#include "run/checkpoints.h"
#include "tag/tag_learner.h"
#include "tag/tag_model.h"
#include "train/embedding_checkpoint.h"

namespace firth {
namespace {

// An array that is neither vectors nor embeddings, as a file of offsets.
absl::StatusOr<std::optional<FileInfo>> DescribeArray(
    const MappedFilePtr& file) {
  if (!absl::StartsWith(file->bytes(), kNpyMagic)) return std::nullopt;
  FIRTH_ASSIGN_OR_RETURN(const NpyArray array, ReadNpyArray(*file));
  const bool may_be_vectors =
      array.shape.size() == 2 && (array.type == "<f4" || array.type == "<f8");
  if (may_be_vectors) return std::nullopt;
  FileInfo info;
  info.kind = "NumPy array";
  info.facts = {
      {"type", array.type},
      {"shape", absl::StrCat("[", absl::StrJoin(array.shape, ", "), "]")}};
  return info;
}

absl::StatusOr<std::optional<FileInfo>> DescribeVectors(
    const MappedFilePtr& file) {
  if (!MayBeVectors(*file)) return std::nullopt;
  FIRTH_ASSIGN_OR_RETURN(VectorFileInfo vectors,
                         DescribeVectorFile(file->path()));
  FileInfo info;
  info.kind = "vectors";
  info.facts = {{"format", vectors.format}};
  if (!vectors.compression.empty()) {
    info.facts.push_back({"compression", vectors.compression});
    info.facts.push_back({"unpacked_bytes", vectors.unpacked_bytes});
  }
  for (FileFact& fact :
       std::vector<FileFact>{{"words", vectors.words},
                             {"dim", vectors.dim},
                             {"has_counts", vectors.has_counts},
                             {"has_output", vectors.has_output},
                             {"has_subwords", vectors.has_subwords},
                             {"form", vectors.form},
                             {"bits_per_value", vectors.bits_per_value}}) {
    info.facts.push_back(std::move(fact));
  }
  info.metadata = std::move(vectors.metadata);
  info.warnings = std::move(vectors.warnings);
  return info;
}

struct FileKind {
  const char* name;
  absl::StatusOr<std::optional<FileInfo>> (*describe)(const MappedFilePtr&);
};

// Lists of text come before vectors: a word and its count also reads as a word
// and a vector of one dimension. Comma-separated values without spaces read as
// a list of words.
constexpr FileKind kKinds[] = {
    {"HNSW index", DescribeHnswIndex},
    {"language model", DescribeTextModel},
    {"tagger", DescribeTagModel},
    {"classifier", DescribeClassifier},
    {"checkpoint of a training run", DescribeEmbeddingCheckpoint},
    {"checkpoint of a language model", DescribeLanguageModelCheckpoint},
    {"checkpoint of a tagger", DescribeTaggerCheckpoint},
    {"checkpoint of a classifier", DescribeClassifierCheckpoint},
    {"contextual vectors in HDF5", DescribeHdf5Embeddings},
    {"contextual vectors in .npy", DescribeNpyEmbeddings},
    {"contextual vectors in .safetensors", DescribeSafetensorsEmbeddings},
    {"NumPy array", DescribeArray},
    {"comma-separated values", DescribeCsv},
    {"vocabulary", DescribeWordList},
    {"phrase list", DescribePhraseList},
    {"vectors", DescribeVectors},
};

std::string ListKinds() {
  const std::string kinds =
      absl::StrJoin(kKinds, ", ", [](std::string* out, const FileKind& kind) {
        absl::StrAppend(out, kind.name);
      });
  return absl::StrCat(
      kinds, " (",
      absl::StrJoin(VectorFormats(), ", ",
                    [](std::string* out, const VectorFormatInfo& format) {
                      absl::StrAppend(out, format.name);
                    }),
      ")");
}

}  // namespace

absl::StatusOr<FileInfo> DescribeFile(const std::string& path) {
  std::error_code ignored;
  std::string described = path;
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  const bool is_folder_of_vectors = FileOfVectors(path) != path;
  if (is_folder_of_vectors) {
    described = FileOfVectors(path);
  } else if (is_folder) {
    FIRTH_ASSIGN_OR_RETURN(described, NewestCheckpoint(path));
  }
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(described));
  for (const FileKind& kind : kKinds) {
    FIRTH_ASSIGN_OR_RETURN(std::optional<FileInfo> info, kind.describe(file));
    if (!info.has_value()) continue;
    info->path = is_folder_of_vectors ? path : std::move(described);
    info->bytes = file->size();
    return *std::move(info);
  }
  const std::string foreign = FindForeignContent(file->bytes());
  if (!foreign.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": expected a file that Firth can read, found ", foreign));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": Firth does not recognize this file; expected one of ",
      ListKinds(), "; found ", DescribeContent(file->bytes())));
}

}  // namespace firth
