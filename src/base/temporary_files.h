// The names of files that are being written.

#ifndef FIRTH_BASE_TEMPORARY_FILES_H_
#define FIRTH_BASE_TEMPORARY_FILES_H_

#include <functional>
#include <string>

#include "absl/strings/string_view.h"

namespace firth {

// What the names of files that will become `path` begin with, beside it. A long
// name is cut, so that what is appended fits.
std::string TemporaryPrefix(const std::string& path);

// Removes the temporary files that killed processes left in the folder, of
// those files by whose name `is_ours`: nobody may be writing them now.
void RemoveHalfWritten(const std::string& folder,
                       const std::function<bool(absl::string_view)>& is_ours);

}  // namespace firth

#endif  // FIRTH_BASE_TEMPORARY_FILES_H_
