#include "tag/tag_model.h"

#include "firth/status_macros.h"
#include "io/tensors/checked_tensors.h"
#include "tag/tagger_model.h"

namespace firth {
namespace {

// Kinds of models, in the order in which they are tried.
constexpr const TagModelKind* kKinds[] = {&kNetworkTagger, &kHmmTagger};

}  // namespace

absl::StatusOr<std::unique_ptr<TagModel>> OpenTagModel(
    const std::string& path, const TaggerInputs& inputs, int threads) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  for (const TagModelKind* const kind : kKinds) {
    absl::StatusOr<std::unique_ptr<TagModel>> model =
        kind->open(file, inputs, threads);
    if (!model.ok() || *model != nullptr) return model;
  }
  return CheckedReader::Open(file, kTaggerKind, kTaggerFile).status();
}

absl::StatusOr<std::optional<FileInfo>> DescribeTagModel(
    const MappedFilePtr& file) {
  for (const TagModelKind* const kind : kKinds) {
    absl::StatusOr<std::optional<FileInfo>> info = kind->describe(file);
    if (!info.ok() || info->has_value()) return info;
  }
  return std::nullopt;
}

}  // namespace firth
