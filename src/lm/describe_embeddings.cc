// Arrays have all tokens in one shape. HDF5 has one dataset per sentence, "0",
// "1", ..., and the last one is found by bisection, because reading all names
// would take as long as reading the file.

#include "lm/describe_embeddings.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "firth/status_macros.h"
#include "io/tensors/hdf5_file.h"
#include "io/tensors/npy_header.h"
#include "io/tensors/safetensors_header.h"
#include "lm/embedding_names.h"

namespace firth {
namespace {

constexpr absl::string_view kHdf5Magic("\x89HDF\r\n\x1a\n", 8);
constexpr uint64_t kMostSentences = uint64_t{1} << 40;

FileInfo Embeddings(const char* format, uint64_t sentences) {
  FileInfo info;
  info.kind = "contextual vectors";
  info.facts = {{"format", std::string(format)}, {"sentences", sentences}};
  return info;
}

// `shape` is [tokens, layers, dim], or [tokens, dim] for one layer.
absl::StatusOr<std::optional<FileInfo>> OfArray(
    const MappedFile& file, const char* format,
    absl::Span<const uint64_t> shape, absl::Span<const uint64_t> offsets) {
  if ((shape.size() != 2 && shape.size() != 3) || offsets.size() != 1 ||
      offsets[0] == 0) {
    return absl::DataLossError(absl::StrCat(
        file.path(), ": expected embeddings [tokens, layers, dim] and offsets ",
        "[sentences + 1], found [", absl::StrJoin(shape, ", "), "] and [",
        absl::StrJoin(offsets, ", "), "]"));
  }
  FileInfo info = Embeddings(format, offsets[0] - 1);
  info.facts.push_back({"tokens", shape.front()});
  info.facts.push_back({"layers", shape.size() == 3 ? shape[1] : 1});
  info.facts.push_back({"dim", shape.back()});
  return info;
}

// Returns the shape of a sentence, [layers, tokens, dim]; nothing if the file
// does not contain the sentence.
absl::StatusOr<std::optional<std::vector<uint64_t>>> ShapeOf(
    const Hdf5File& file, uint64_t sentence) {
  auto shape = file.Shape(absl::StrCat(sentence));
  if (absl::IsNotFound(shape.status())) return std::nullopt;
  if (!shape.ok()) return shape.status();
  return *std::move(shape);
}

// Returns the number of consecutive sentences, counted from 0.
absl::StatusOr<uint64_t> CountSentences(const Hdf5File& file) {
  uint64_t there = 0;    // sentences 0 to there - 1 exist
  uint64_t missing = 1;  // the next to test is sentence missing - 1
  for (; missing < kMostSentences; missing *= 2) {
    FIRTH_ASSIGN_OR_RETURN(const auto shape, ShapeOf(file, missing - 1));
    if (!shape.has_value()) break;
    there = missing;
  }
  while (missing - there > 1) {
    const uint64_t middle = there + (missing - there) / 2;
    FIRTH_ASSIGN_OR_RETURN(const auto shape, ShapeOf(file, middle - 1));
    (shape.has_value() ? there : missing) = middle;
  }
  return there;
}

}  // namespace

absl::StatusOr<std::optional<FileInfo>> DescribeHdf5Embeddings(
    const MappedFilePtr& file) {
  if (!absl::StartsWith(file->bytes(), kHdf5Magic)) return std::nullopt;
  FIRTH_ASSIGN_OR_RETURN(const Hdf5File hdf5, Hdf5File::Open(file->path()));
  FIRTH_ASSIGN_OR_RETURN(const uint64_t sentences, CountSentences(hdf5));
  if (sentences == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        file->path(),
        ": the HDF5 file has no dataset \"0\", which \"firth embed\" writes; "
        "weights of ELMo are read by \"firth lm import\""));
  }
  FIRTH_ASSIGN_OR_RETURN(const std::vector<uint64_t> shape, hdf5.Shape("0"));
  if (shape.size() != 3) {
    return absl::DataLossError(absl::StrCat(
        file->path(), ": expected dataset \"0\" as [layers, tokens, dim], ",
        "found ", shape.size(), " sizes"));
  }
  FileInfo info = Embeddings("hdf5", sentences);
  info.facts.push_back({"layers", shape[0]});
  info.facts.push_back({"dim", shape[2]});
  return info;
}

absl::StatusOr<std::optional<FileInfo>> DescribeNpyEmbeddings(
    const MappedFilePtr& file) {
  if (!absl::StartsWith(file->bytes(), kNpyMagic)) return std::nullopt;
  const auto beside = MappedFile::Open(OffsetsPath(file->path()));
  if (!beside.ok()) return std::nullopt;
  FIRTH_ASSIGN_OR_RETURN(const NpyArray array, ReadNpyArray(*file));
  FIRTH_ASSIGN_OR_RETURN(const NpyArray offsets, ReadNpyArray(**beside));
  return OfArray(*file, "npy", array.shape, offsets.shape);
}

absl::StatusOr<std::optional<FileInfo>> DescribeSafetensorsEmbeddings(
    const MappedFilePtr& file) {
  if (!StartsLikeSafetensors(file->bytes())) return std::nullopt;
  FIRTH_ASSIGN_OR_RETURN(const SafetensorsHeader header,
                         ReadSafetensorsHeader(*file));
  const auto format = header.metadata.find(kFormatKey);
  if (format == header.metadata.end() || format->second != kEmbeddingsFormat) {
    return std::nullopt;
  }
  const TensorEntry* values = header.Find(kEmbeddingsTensor);
  const TensorEntry* offsets = header.Find(kOffsetsTensor);
  if (values == nullptr || offsets == nullptr) {
    return BadTensor(*file,
                     values == nullptr ? kEmbeddingsTensor : kOffsetsTensor,
                     "one", nullptr);
  }
  return OfArray(*file, "safetensors", values->shape, offsets->shape);
}

}  // namespace firth
