// Small text files that the program writes for itself.

#ifndef FIRTH_TOOLS_CLI_TEXT_FILE_H_
#define FIRTH_TOOLS_CLI_TEXT_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth::tools {

// A file in $TMPDIR, else /tmp, that is removed with this object.
class TemporaryTextFile {
 public:
  static absl::StatusOr<TemporaryTextFile> Create(absl::string_view text);
  ~TemporaryTextFile();
  TemporaryTextFile(TemporaryTextFile&& other) noexcept;
  TemporaryTextFile& operator=(TemporaryTextFile&&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryTextFile(std::string path);
  std::string path_;
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_TEXT_FILE_H_
