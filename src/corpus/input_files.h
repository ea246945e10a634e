// Which files a list of inputs means.

#ifndef FIRTH_CORPUS_INPUT_FILES_H_
#define FIRTH_CORPUS_INPUT_FILES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace firth {

// How many things in a folder are not read.
struct LeftOutFiles {
  size_t hidden = 0;   // files, and folders with all below them
  size_t special = 0;  // links to folders and to nowhere, pipes, devices
};

// Replaces every folder by the regular files below it, sorted by path; files
// and folders whose name starts with a dot are left out, and symbolic links to
// folders are not followed. Files (also pipes and devices) and "-" stay.
// Errors: NotFound for what is missing and for a folder without files,
// PermissionDenied for what cannot be read: found before hours of reading. What
// is left out is added to *left_out, if that is not null.
absl::StatusOr<std::vector<std::string>> ExpandInputs(
    const std::vector<std::string>& inputs, LeftOutFiles* left_out = nullptr);

}  // namespace firth

#endif  // FIRTH_CORPUS_INPUT_FILES_H_
