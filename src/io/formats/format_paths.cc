// The names of the files and folders of formats with more than one file.

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "io/formats/vector_format.h"

namespace firth {

std::string FileBeside(const VectorFormat& format, const std::string& path) {
  if (format.words_extension.empty()) return "";
  const absl::string_view own = format.extensions.front();
  const size_t stem = absl::EndsWithIgnoreCase(path, own)
                          ? path.size() - own.size()
                          : path.size();
  return absl::StrCat(path.substr(0, stem), format.words_extension);
}

std::string FolderToWrite(const VectorFormat& format, const std::string& path) {
  absl::string_view folder = path;
  const std::string main = absl::StrCat("/", format.folder_files.front());
  if (!absl::ConsumeSuffix(&folder, main)) {
    while (folder.size() > 1 && absl::ConsumeSuffix(&folder, "/")) {
    }
  }
  return folder.empty() ? "/" : std::string(folder);
}

}  // namespace firth
