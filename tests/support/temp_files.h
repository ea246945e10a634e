// Files for tests, in $TMPDIR or /tmp.

#ifndef FIRTH_TESTS_SUPPORT_TEMP_FILES_H_
#define FIRTH_TESTS_SUPPORT_TEMP_FILES_H_

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/string_view.h"

namespace firth {

// A folder of its own, removed at the end.
class TempFolder {
 public:
  TempFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "firth-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

  // Writes a file, with the folders above it, and returns its path.
  std::string Write(const std::string& name, absl::string_view bytes) const {
    std::string path = File(name);
    std::filesystem::create_directories(
        std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path;
  }

 private:
  std::string path_;
};

inline std::string ReadWholeFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_TEMP_FILES_H_
