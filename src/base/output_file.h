// A file that appears whole or not at all.

#ifndef FIRTH_BASE_OUTPUT_FILE_H_
#define FIRTH_BASE_OUTPUT_FILE_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "firth/progress.h"

namespace firth {

// Bytes go to a file without a name (O_TMPFILE) in the folder of `path`, with
// mode 0600 until the end. Commit() syncs it, sets the mode that the umask
// allows (or the mode of the file that it replaces), names it `path` and syncs
// the folder. Without Commit(), `path` is unchanged and nothing is left: if the
// process is killed, the system frees the file.
//
// Two cases leave a file named `path`.tmp-XXXXXX if the process is killed.
// First, replacing a file takes two steps, because a file without a name cannot
// replace another. It is linked under the temporary name and then renamed; if
// the process is killed in between, a complete file is left. Second, if the
// file system does not support files without a name (NFS, some FUSE systems, no
// /proc), the file has the temporary name from the start (O_EXCL). If the
// system forbids linking the file (a security module), it gets that name at the
// end.
//
// A file without write permission is not replaced, as with "sort -o" and "cp":
// this is PermissionDenied, also for a superuser if no mode bit allows writing.
// A symbolic link at `path` is kept, and its target is replaced. A path that
// cannot be renamed over, such as /dev/stdout or a pipe, is written directly.
// Writes are buffered, so small ones are cheap. After an error, all later calls
// return it. Exceeding a file-size limit is an error like a full disk; SIGXFSZ
// does not end the process.
class OutputFile {
 public:
  // If the hooks request a stop, Write() and Commit() return Cancelled.
  static absl::StatusOr<OutputFile> Create(const std::string& path,
                                           const Hooks& hooks = {});
  // Wraps an open file, which is written from its current position on and
  // closed by Commit() or the destructor. `path` is used in messages.
  static OutputFile OfDescriptor(int fd, const std::string& path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  absl::Status Write(absl::string_view bytes);
  // Writes the bytes of the numbers as they are in memory.
  template <class... Numbers>
  absl::Status WriteNumbers(Numbers... numbers) {
    static_assert(
        ((std::is_arithmetic_v<Numbers> || std::is_enum_v<Numbers>)&&...));
    absl::Status status;
    ((status =
          Write({reinterpret_cast<const char*>(&numbers), sizeof(numbers)})),
     ...);
    return status;
  }
  // Replaces bytes that were written before, such as a header with the number
  // of values that follow. Errors: InvalidArgument if the file is written
  // directly.
  absl::Status Overwrite(uint64_t position, absl::string_view bytes);
  // Returns the number of bytes accepted so far.
  uint64_t position() const { return position_; }
  absl::Status Commit();
  // Maps the file. Replaces Commit() for an open file that can also be read.
  absl::StatusOr<MappedFilePtr> Map();
  // Commits files that belong together. All of them are on the disk before the
  // first is named or renamed, and nothing else happens between the renames.
  static absl::Status CommitAll(std::initializer_list<OutputFile*> files);

 private:
  static absl::StatusOr<OutputFile> Open(const std::string& path);
  OutputFile(std::string path, bool direct, std::string temporary, int fd);
  absl::Status Flush();
  // Writes all bytes to the disk and sets the mode.
  absl::Status Sync();
  // Gives the file its name, or a temporary one if that name is taken.
  absl::Status NameAndClose();
  absl::Status Rename();
  absl::Status NameUnnamed();
  absl::Status CopyToNamed();
  absl::Status WriteDirect(absl::string_view bytes);

  std::string path_;
  bool direct_;  // Whether `path_` itself is open.
  // Name of the temporary file to remove; empty if the file has no name.
  std::string temporary_;
  int fd_;
  uint64_t position_ = 0;
  std::string buffer_;
  absl::Status status_;
  Hooks hooks_;
};

}  // namespace firth

#endif  // FIRTH_BASE_OUTPUT_FILE_H_
