// An input may be several files under names that are made of one.

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/mapped_file.h"
#include "firth/embedding_file.h"
#include "firth/file_info.h"
#include "firth/vector_io.h"
#include "io/tensors/npy_header.h"

namespace firth {
namespace {

// To open a pipe would be to wait for its writer.
bool IsArray(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const absl::StatusOr<MappedFilePtr> file = MappedFile::Open(path);
  return file.ok() && absl::StartsWith((*file)->bytes(), kNpyMagic);
}

}  // namespace

std::vector<std::string> FilesReadWith(const std::string& path) {
  std::vector<std::string> files = FilesBeside(path, "");
  if (IsArray(path)) {
    absl::c_copy(FilesBeside(path, EmbeddingFormat::kNpy),
                 std::back_inserter(files));
  }
  absl::string_view stem = path;
  if (absl::ConsumeSuffix(&stem, ".data.xml")) {
    files.push_back(absl::StrCat(stem, ".gold.key.txt"));
  }
  std::erase_if(files, [](const std::string& file) {
    std::error_code error;
    return !std::filesystem::exists(file, error);
  });
  return files;
}

}  // namespace firth
