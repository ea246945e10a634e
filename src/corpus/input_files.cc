#include "corpus/input_files.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/errno_status.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

namespace fs = std::filesystem;

bool IsHidden(const fs::path& path) {
  return path.filename().string().rfind('.', 0) == 0;
}

absl::Status CheckReadable(const std::string& path) {
  if (access(path.c_str(), R_OK) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, path, "cannot read");
}

absl::StatusOr<std::vector<std::string>> FilesBelow(const std::string& folder,
                                                    LeftOutFiles* left_out) {
  std::vector<std::string> files;
  std::error_code error;
  std::string listed = folder;  // The folder that the iterator lists next.
  fs::recursive_directory_iterator entry(folder, error);
  while (!error && entry != fs::recursive_directory_iterator()) {
    if (IsHidden(entry->path())) {
      entry.disable_recursion_pending();
      ++left_out->hidden;
    } else if (entry->is_regular_file(error)) {
      files.push_back(entry->path().string());
    } else if (entry->is_symlink(error) || !entry->is_directory(error)) {
      ++left_out->special;
    } else {
      listed = entry->path().string();
    }
    // A dangling link is not a regular file, but not an error either.
    entry.increment(error);
  }
  if (error) return ErrnoStatus(error.value(), listed, "cannot list");
  if (files.empty()) {
    return absl::NotFoundError(
        absl::StrCat(folder,
                     ": the folder contains no files (hidden files and folders "
                     "are ignored)"));
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ExpandInputs(
    const std::vector<std::string>& inputs, LeftOutFiles* left_out) {
  LeftOutFiles unasked;
  if (left_out == nullptr) left_out = &unasked;
  std::vector<std::string> files;
  for (const std::string& input : inputs) {
    std::error_code error;
    if (input != "-" && fs::is_directory(input, error)) {
      FIRTH_ASSIGN_OR_RETURN(const auto below, FilesBelow(input, left_out));
      files.insert(files.end(), below.begin(), below.end());
    } else {
      files.push_back(input);
    }
  }
  for (const std::string& file : files) {
    if (file != "-") FIRTH_RETURN_IF_ERROR(CheckReadable(file));
  }
  return files;
}

}  // namespace firth
