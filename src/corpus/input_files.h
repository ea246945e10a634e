// Which files a list of inputs means.

#ifndef FIRTH_CORPUS_INPUT_FILES_H_
#define FIRTH_CORPUS_INPUT_FILES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace firth {

// Replaces every folder by the regular files below it, sorted by path; files
// and folders whose name starts with a dot are left out, and symbolic links to
// folders are not followed. Files (also pipes and devices) and "-" stay.
// Errors: NotFound for what is missing and for a folder without files,
// PermissionDenied for what cannot be read: found before hours of reading.
absl::StatusOr<std::vector<std::string>> ExpandInputs(
    const std::vector<std::string>& inputs);

}  // namespace firth

#endif  // FIRTH_CORPUS_INPUT_FILES_H_
