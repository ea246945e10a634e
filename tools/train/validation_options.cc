#include "train/validation_options.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/console.h"
#include "firth/query.h"
#include "query/evaluation_table.h"

namespace firth::tools {

void ValidationOptions::Declare(OptionSet* options) {
  options->Section("Validation");
  for (const char* name : {"valid", "eval-analogies", "eval-similarity"}) {
    options->PathField(&fields_, name, Reads());
  }
  options->Fields(&fields_, {"patience"});
}

absl::Status ValidationOptions::Read(const CorpusOptions& reading,
                                     const Corpus& corpus, const Hooks& hooks) {
  absl::StatusOr<LoadedValidation> loaded =
      LoadValidation(files_, reading, corpus, hooks);
  if (!loaded.ok()) {
    return absl::Status(loaded.status().code(),
                        absl::StrCat("--", loaded.status().message()));
  }
  loaded_ = *std::move(loaded);
  return absl::OkStatus();
}

void ValidationOptions::SayFolding(const Vocabulary& vocabulary) const {
  if (files_.has_sets() && IsLowercase(vocabulary)) PrintMessage(kFoldedNote);
}

}  // namespace firth::tools
