// A lock that keeps other processes off a place that one may write at a time.

#ifndef FIRTH_BASE_FILE_LOCK_H_
#define FIRTH_BASE_FILE_LOCK_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace firth {

// Holds the lock (flock) of a file that is there for nothing else. The kernel
// lets go of it when the process ends, however it ends; the destructor also
// removes the file, unless somebody has put something into it. A file system
// that knows no locks keeps nobody off.
class FileLock {
 public:
  // Makes the file if it is not there; never waits. `place` is what the lock
  // protects, for messages. Errors: FailedPrecondition, somebody else has the
  // lock; those of making the file.
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
