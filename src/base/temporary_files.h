// The names of files that are being written.

#ifndef FIRTH_BASE_TEMPORARY_FILES_H_
#define FIRTH_BASE_TEMPORARY_FILES_H_

#include <functional>
#include <string>

#include "absl/strings/string_view.h"

namespace firth {

// Returns the prefix of the names of temporary files for `path`, in the same
// folder. A long name is shortened, so that a suffix fits.
std::string TemporaryPrefix(const std::string& path);

// Removes temporary files that killed processes left in the folder, if
// `is_ours` returns true for the name of the final file. Nobody may be writing
// them.
void RemoveHalfWritten(const std::string& folder,
                       const std::function<bool(absl::string_view)>& is_ours);

}  // namespace firth

#endif  // FIRTH_BASE_TEMPORARY_FILES_H_
