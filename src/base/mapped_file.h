// A file mapped read-only into memory.

#ifndef FIRTH_BASE_MAPPED_FILE_H_
#define FIRTH_BASE_MAPPED_FILE_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth {

// The mapping lives as long as the object. Errors: NotFound, PermissionDenied,
// InvalidArgument if the path is not a regular file (a pipe, a folder).
class MappedFile {
 public:
  static absl::StatusOr<std::shared_ptr<const MappedFile>> Open(
      const std::string& path);
  // Maps the file of a descriptor and closes the descriptor. `path` is used in
  // messages.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> OfDescriptor(
      int fd, const std::string& path);
  // Returns a range of bytes of a file, which must lie inside it, as a file of
  // its own. `path` is used in messages.
  static std::shared_ptr<const MappedFile> PartOf(
      std::shared_ptr<const MappedFile> whole, size_t begin, size_t size,
      const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const { return path_; }
  size_t size() const { return size_; }
  const char* data() const { return data_; }
  absl::string_view bytes() const { return {data_, size_}; }

 private:
  MappedFile(std::string path, const char* data, size_t size,
             std::shared_ptr<const MappedFile> whole);
  std::string path_;
  const char* data_;
  size_t size_;
  // Null if this object owns the mapping.
  std::shared_ptr<const MappedFile> whole_;
};

using MappedFilePtr = std::shared_ptr<const MappedFile>;

}  // namespace firth

#endif  // FIRTH_BASE_MAPPED_FILE_H_
