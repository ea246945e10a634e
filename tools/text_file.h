// Small text files that the program writes for itself or for the user.

#ifndef FIRTH_TOOLS_TEXT_FILE_H_
#define FIRTH_TOOLS_TEXT_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth::tools {

// Replaces `path` by `text`: the file appears whole or not at all. What is no
// regular file, such as /dev/stdout, is written directly.
absl::Status WriteTextFile(const std::string& path, absl::string_view text);

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

#endif  // FIRTH_TOOLS_TEXT_FILE_H_
