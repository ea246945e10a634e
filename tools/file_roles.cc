#include "file_roles.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "firth/vector_io.h"

namespace firth::tools {
namespace {

bool SameFile(const std::string& a, const std::string& b) {
  std::error_code error;
  const auto full = [&error](const std::string& path) {
    return std::filesystem::weakly_canonical(
        std::filesystem::absolute(path, error), error);
  };
  return !a.empty() && !b.empty() && full(a) == full(b);
}

}  // namespace

absl::Status CheckDifferentFiles(std::vector<FileRole> read,
                                 const std::vector<FileRole>& written) {
  std::vector<FileRole>& used = read;
  for (const auto& [option, path] : written) {
    for (const auto& [other_option, other_path] : used) {
      if (path == "-" || !SameFile(path, other_path)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          option, " and ", other_option, " are the same file, \"", path, "\""));
    }
    used.emplace_back(option, path);
  }
  return absl::OkStatus();
}

absl::Status CheckAllWritable(const std::vector<FileRole>& written) {
  for (const auto& [option, path] : written) {
    if (path.empty() || path == "-") continue;
    absl::Status status = CheckWritable(path);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace firth::tools
