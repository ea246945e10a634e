#include "tag/tag_model.h"

#include "firth/status_macros.h"
#include "io/tensors/checked_tensors.h"
#include "tag/tagger_model.h"

namespace firth {

absl::StatusOr<std::unique_ptr<TagModel>> OpenTagModel(
    const std::string& path, const TaggerInputs& inputs, int threads) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  for (const auto open : {OpenTagNetwork}) {
    absl::StatusOr<std::unique_ptr<TagModel>> model =
        open(file, inputs, threads);
    if (!model.ok() || *model != nullptr) return model;
  }
  return CheckedReader::Open(file, kTaggerKind, kTaggerFile).status();
}

}  // namespace firth
