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

// Bytes go to a file without a name (O_TMPFILE) in the folder of `path`, mode
// 0600 until the end. Commit() syncs it, gives it the mode that the umask
// allows (or that of the file it replaces), names it `path` and syncs the
// folder. Without Commit() `path` is as it was, and nothing is left: of a
// process that is killed the system frees the file.
//
// Two cases leave a file named `path`.tmp-XXXXXX if the process is killed. To
// replace a file takes two steps, for a file without a name cannot replace one:
// it is linked under that name, and then renamed; killed between the two, it
// leaves a whole file. And where the file system has no files without a name
// (NFS, some FUSE ones, no /proc), it has that name from the start (O_EXCL); or
// from the end, where the system lets no file be linked (a security module).
//
// A file that may not be written is not replaced, as "sort -o" and "cp" have
// it: PermissionDenied, also for a superuser where no mode bit allows writing.
// A symbolic link at `path` keeps pointing: its target is replaced. What cannot
// be renamed over, such as /dev/stdout or a pipe, is written directly.
// Buffered: small writes are cheap. An error stays: later calls return it. A
// file-size limit is an error like a full disk: no SIGXFSZ ends the process.
class OutputFile {
 public:
  // Where hooks ask to stop, Write() and Commit() are Cancelled.
  static absl::StatusOr<OutputFile> Create(const std::string& path,
                                           const Hooks& hooks = {});
  // An open file, which is written from where it stands and closed by Commit()
  // or the destructor. `path` stands in messages.
  static OutputFile OfDescriptor(int fd, const std::string& path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  absl::Status Write(absl::string_view bytes);
  // The bytes of the numbers as they are in memory.
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
  // Replaces bytes that were written before, such as a header that says how
  // many values have followed. Errors: InvalidArgument where writing is direct.
  absl::Status Overwrite(uint64_t position, absl::string_view bytes);
  // Bytes accepted so far.
  uint64_t position() const { return position_; }
  absl::Status Commit();
  // Instead of Commit(), of an open file that can be read, too.
  absl::StatusOr<MappedFilePtr> Map();
  // The same for files that belong together: all of them are on the disk before
  // the first is named or renamed, and nothing is done between the renames.
  static absl::Status CommitAll(std::initializer_list<OutputFile*> files);

 private:
  static absl::StatusOr<OutputFile> Open(const std::string& path);
  OutputFile(std::string path, bool direct, std::string temporary, int fd);
  absl::Status Flush();
  // Brings all bytes to the disk and sets the mode.
  absl::Status Sync();
  // Gives the file its name, or a temporary one if that is taken.
  absl::Status NameAndClose();
  absl::Status Rename();
  absl::Status NameUnnamed();
  absl::Status CopyToNamed();
  absl::Status WriteDirect(absl::string_view bytes);

  std::string path_;
  bool direct_;            // `path_` itself is open
  std::string temporary_;  // to be removed; empty: the file has no name
  int fd_;
  uint64_t position_ = 0;
  std::string buffer_;
  absl::Status status_;
  Hooks hooks_;
};

}  // namespace firth

#endif  // FIRTH_BASE_OUTPUT_FILE_H_
