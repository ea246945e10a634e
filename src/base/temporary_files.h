// Files that exist only while a process works: files that are being written,
// files without a name, which disappear however the program ends, and locks.

#ifndef FIRTH_BASE_TEMPORARY_FILES_H_
#define FIRTH_BASE_TEMPORARY_FILES_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth {

// Returns the prefix of the names of temporary files for `path`, in the same
// folder. A long name is shortened, so that a suffix fits.
std::string TemporaryPrefix(const std::string& path);

// Removes temporary files that killed processes left in the folder, if
// `is_ours` returns true for the name of the final file. Nobody may be writing
// them.
void RemoveHalfWritten(const std::string& folder,
                       const std::function<bool(absl::string_view)>& is_ours);

// Returns the folder for temporary files: `folder` if it is not empty,
// otherwise $TMPDIR, otherwise /tmp.
std::string TemporaryFolder(std::string folder);

// Returns the descriptor of a new file in `folder`, open for reading and
// writing. The caller must close it.
absl::StatusOr<int> OpenUnnamed(const std::string& folder);

// Appends the bytes with write(), so that a full disk is an error here and not
// a signal later. `folder` is used in messages. Errors: ResourceExhausted,
// other errors of the system.
absl::Status WriteUnnamed(int fd, absl::string_view bytes,
                          const std::string& folder);

// Keeps other processes from using a resource at the same time, with a lock
// (flock) on a file that serves only this purpose. The kernel
// releases it when the process ends, for whatever reason. The destructor also
// removes the file, unless something was written to it. On a file system
// without locks it excludes nobody.
class FileLock {
 public:
  // Creates the file if it does not exist, and never waits. `place` names the
  // protected resource in messages. Errors: FailedPrecondition, another process
  // has the lock; those of creating the file.
  static absl::StatusOr<std::shared_ptr<const FileLock>> Take(
      const std::string& path, const std::string& place);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  FileLock(std::string path, int fd);
  const std::string path_;
  const int fd_;
};

}  // namespace firth

#endif  // FIRTH_BASE_TEMPORARY_FILES_H_
