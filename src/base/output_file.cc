// If the system supports files without a name (O_TMPFILE), the file is written
// as one and gets its name when it is complete. It is linked directly to its
// path if no file is there. Otherwise it is linked under a temporary name,
// which is renamed over the old file, because link() does not replace files. On
// other systems it has a temporary name from the start.

#include "base/output_file.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/errno_status.h"
#include "base/temporary_files.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"

namespace firth {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr size_t kMostAtOnce = size_t{16} << 20;

std::string FolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// Follows symbolic links, so that renaming replaces what they point to.
std::string ResolveLinks(const std::string& path) {
  std::error_code error;
  std::filesystem::path resolved = path;
  for (int hops = 0; hops < 40; ++hops) {
    if (!std::filesystem::is_symlink(resolved, error)) break;
    const auto target = std::filesystem::read_symlink(resolved, error);
    if (error) break;
    resolved = target.is_absolute() ? target : resolved.parent_path() / target;
  }
  return resolved.string();
}

// Returns the path by which linkat() finds a file without a name.
std::string NameOfDescriptor(int fd) {
  return absl::StrCat("/proc/self/fd/", fd);
}

// Opens a file without a name in the folder. Returns -1 if the system does not
// support such files.
int OpenWithoutName(const std::string& folder) {
  const int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0 && access(NameOfDescriptor(fd).c_str(), F_OK) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

// Opens a new file in the folder of `path` and returns its name in *name.
absl::StatusOr<int> OpenNamed(const std::string& path, std::string* name) {
  *name = absl::StrCat(TemporaryPrefix(path), "XXXXXX");
  const int fd = mkostemp(name->data(), O_CLOEXEC);
  if (fd >= 0) return fd;
  return ErrnoStatus(errno, path,
                     absl::StrCat("cannot create a file in the folder \"",
                                  FolderOf(path), "\""));
}

mode_t ModeForNewFile() {
  const mode_t mask = umask(0);  // No call only reads it.
  umask(mask);
  return 0666 & ~mask;
}

// Makes a rename survive a power failure. Some file systems refuse this. The
// content of the file is safe in any case, so errors are ignored.
void SyncFolder(const std::string& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

}  // namespace

absl::StatusOr<OutputFile> OutputFile::Open(const std::string& path) {
  if (path == "/dev/stdout") {
    // The shell may have redirected it to a file. Opening or replacing that
    // file here would lose what others wrote to it. A pipe has no name.
    const int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) return ErrnoStatus(errno, path, "cannot write");
    return OutputFile(path, /*direct=*/true, "", fd);
  }
  struct stat info;
  const bool exists = stat(path.c_str(), &info) == 0;
  // A file used as a folder, a loop of links, ...
  if (!exists && errno != ENOENT) {
    return ErrnoStatus(errno, path, "cannot create");
  }
  if (exists && !S_ISREG(info.st_mode)) {
    if (S_ISDIR(info.st_mode)) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, ": cannot write the file because a folder has this name"));
    }
    // Opens `path` itself and not the target of a link, because a pipe that the
    // shell created (/dev/fd/63) has no other name.
    const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return ErrnoStatus(errno, path, "cannot open for writing");
    return OutputFile(path, /*direct=*/true, "", fd);
  }
  // Renaming over a file requires no permission for the file, only for its
  // folder.
  const bool is_read_only = exists && (info.st_mode & 0222) == 0;
  if (is_read_only || (exists && access(path.c_str(), W_OK) != 0)) {
    return absl::PermissionDeniedError(
        absl::StrCat(path,
                     ": the file is read-only and was left unchanged; \"chmod "
                     "u+w\" permits replacing it"));
  }
  const std::string target = ResolveLinks(path);
  const int unnamed = OpenWithoutName(FolderOf(target));
  if (unnamed >= 0) return OutputFile(target, /*direct=*/false, "", unnamed);
  std::string temporary;
  FIRTH_ASSIGN_OR_RETURN(const int fd, OpenNamed(target, &temporary));
  return OutputFile(target, /*direct=*/false, temporary, fd);
}

absl::StatusOr<OutputFile> OutputFile::Create(const std::string& path,
                                              const Hooks& hooks) {
  absl::StatusOr<OutputFile> file = Open(path);
  if (file.ok()) file->hooks_ = hooks;
  return file;
}

OutputFile OutputFile::OfDescriptor(int fd, const std::string& path) {
  return OutputFile(path, /*direct=*/true, "", fd);
}

OutputFile::OutputFile(std::string path, bool direct, std::string temporary,
                       int fd)
    : path_(std::move(path)),
      direct_(direct),
      temporary_(std::move(temporary)),
      fd_(fd) {
  buffer_.reserve(kBufferBytes);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      direct_(other.direct_),
      temporary_(std::exchange(other.temporary_, "")),
      fd_(std::exchange(other.fd_, -1)),
      position_(other.position_),
      buffer_(std::move(other.buffer_)),
      status_(std::move(other.status_)),
      hooks_(other.hooks_) {}

OutputFile::~OutputFile() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

absl::Status OutputFile::WriteDirect(absl::string_view bytes) {
  const FileSizeSignalHeld held;
  while (!bytes.empty()) {
    if (hooks_.StopRequested()) return absl::CancelledError("interrupted");
    const ssize_t written =
        write(fd_, bytes.data(), std::min(bytes.size(), kMostAtOnce));
    if (written < 0) {
      if (errno == EINTR) continue;
      return ErrnoStatus(errno, path_, "cannot write");
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status OutputFile::Flush() {
  if (status_.ok()) status_ = WriteDirect(buffer_);
  buffer_.clear();
  return status_;
}

absl::Status OutputFile::Write(absl::string_view bytes) {
  FIRTH_RETURN_IF_ERROR(status_);
  position_ += bytes.size();
  if (buffer_.size() + bytes.size() > kBufferBytes) {
    FIRTH_RETURN_IF_ERROR(Flush());
  }
  if (bytes.size() >= kBufferBytes) return status_ = WriteDirect(bytes);
  buffer_.append(bytes.data(), bytes.size());
  return absl::OkStatus();
}

absl::Status OutputFile::Overwrite(uint64_t position, absl::string_view bytes) {
  if (direct_) {
    return absl::InvalidArgumentError(
        absl::StrCat(path_, ": not a regular file, so it cannot be replaced"));
  }
  FIRTH_CHECK(position + bytes.size() <= position_);
  FIRTH_RETURN_IF_ERROR(Flush());
  if (lseek(fd_, static_cast<off_t>(position), SEEK_SET) < 0) {
    return status_ = ErrnoStatus(errno, path_, "cannot seek");
  }
  FIRTH_RETURN_IF_ERROR(status_ = WriteDirect(bytes));
  if (lseek(fd_, 0, SEEK_END) >= 0) return absl::OkStatus();
  return status_ = ErrnoStatus(errno, path_, "cannot seek");
}

absl::Status OutputFile::Sync() {
  FIRTH_RETURN_IF_ERROR(Flush());
  if (!direct_) {
    struct stat old;
    const bool replaces = stat(path_.c_str(), &old) == 0;
    const mode_t mode = replaces ? old.st_mode & 0777 : ModeForNewFile();
    if (fchmod(fd_, mode) != 0 || fsync(fd_) != 0) {
      return status_ = ErrnoStatus(errno, path_, "cannot sync");
    }
  }
  return absl::OkStatus();
}

// Links the file to `path_`, or to a temporary name if `path_` exists.
absl::Status OutputFile::NameUnnamed() {
  constexpr int kMostTries = 1000;  // Other processes may use the names.
  const std::string file = NameOfDescriptor(fd_);
  const auto name_it = [&file](const std::string& name) {
    return linkat(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(),
                  AT_SYMLINK_FOLLOW) == 0;
  };
  if (name_it(path_)) return absl::OkStatus();
  for (int i = 0; errno == EEXIST && i < kMostTries; ++i) {
    std::string name = absl::StrCat(TemporaryPrefix(path_), getpid(), "-", i);
    if (!name_it(name)) continue;
    temporary_ = std::move(name);
    return absl::OkStatus();
  }
  return CopyToNamed();
}

absl::Status OutputFile::CopyToNamed() {
  std::string name;
  FIRTH_ASSIGN_OR_RETURN(const int named, OpenNamed(path_, &name));
  temporary_ = std::move(name);
  const int unnamed = std::exchange(fd_, named);
  const absl::Cleanup close_unnamed = [unnamed] { close(unnamed); };
  const FileSizeSignalHeld held;
  off_t position = 0;
  ssize_t copied = 0;
  do {
    copied = sendfile(named, unnamed, &position, size_t{1} << 30);
  } while (copied > 0 || (copied < 0 && errno == EINTR));
  if (copied < 0) return status_ = ErrnoStatus(errno, path_, "cannot write");
  return Sync();
}

absl::Status OutputFile::NameAndClose() {
  if (!direct_ && temporary_.empty()) FIRTH_RETURN_IF_ERROR(NameUnnamed());
  if (close(std::exchange(fd_, -1)) != 0) {
    return status_ = ErrnoStatus(errno, path_, "cannot close");
  }
  return absl::OkStatus();
}

absl::Status OutputFile::Rename() {
  if (direct_ || temporary_.empty()) return absl::OkStatus();
  if (rename(temporary_.c_str(), path_.c_str()) != 0) {
    return status_ = ErrnoStatus(errno, path_, "cannot rename to");
  }
  temporary_.clear();
  return absl::OkStatus();
}

absl::Status OutputFile::Commit() { return CommitAll({this}); }

absl::StatusOr<MappedFilePtr> OutputFile::Map() {
  FIRTH_RETURN_IF_ERROR(Flush());
  return MappedFile::OfDescriptor(std::exchange(fd_, -1), path_);
}

absl::Status OutputFile::CommitAll(std::initializer_list<OutputFile*> files) {
  for (OutputFile* file : files) FIRTH_RETURN_IF_ERROR(file->Sync());
  for (OutputFile* file : files) FIRTH_RETURN_IF_ERROR(file->NameAndClose());
  for (OutputFile* file : files) FIRTH_RETURN_IF_ERROR(file->Rename());
  for (OutputFile* file : files) {
    if (!file->direct_) SyncFolder(FolderOf(file->path_));
  }
  return absl::OkStatus();
}

absl::Status CheckWritable(const std::string& path) {
  // Opening a pipe would wait for its reader, and closing it again would end
  // the reader's input.
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || !S_ISFIFO(info.st_mode)) {
    return OutputFile::Create(path).status();
  }
  return access(path.c_str(), W_OK) == 0
             ? absl::OkStatus()
             : ErrnoStatus(errno, path, "cannot open for writing");
}

absl::Status WriteTextFile(const std::string& path, absl::string_view text) {
  FIRTH_ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  FIRTH_RETURN_IF_ERROR(file.Write(text));
  return file.Commit();
}

}  // namespace firth
