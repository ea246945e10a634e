// Expands a list of inputs to files.

#ifndef FIRTH_CORPUS_INPUT_FILES_H_
#define FIRTH_CORPUS_INPUT_FILES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace firth {

// Number of entries in a folder that are not read.
struct LeftOutFiles {
  size_t hidden = 0;   // Files, and folders with everything below them.
  size_t special = 0;  // Links to folders, dangling links, pipes, devices.
};

// Replaces every folder by the regular files below it, sorted by path. Files
// and folders whose name starts with a dot are left out, and symbolic links to
// folders are not followed. Files (also pipes and devices) and "-" are kept.
// Errors: NotFound for a missing path and for a folder without files,
// PermissionDenied for what cannot be read, so that these are found before
// hours of reading. Adds the number of entries left out to *left_out, if it is
// not null.
absl::StatusOr<std::vector<std::string>> ExpandInputs(
    const std::vector<std::string>& inputs, LeftOutFiles* left_out = nullptr);

}  // namespace firth

#endif  // FIRTH_CORPUS_INPUT_FILES_H_
