// A lock that keeps other processes from using a resource at the same time.

#ifndef FIRTH_BASE_FILE_LOCK_H_
#define FIRTH_BASE_FILE_LOCK_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace firth {

// Holds a lock (flock) on a file that serves only this purpose. The kernel
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

#endif  // FIRTH_BASE_FILE_LOCK_H_
