// The bytes of one input: a file or a pipe, and a decompressor if the first
// bytes require one. Waiting for a pipe happens in short intervals, so that
// Ctrl-C ends it. Reading the first bytes stops as soon as they determine the
// format, so that a user who types gets an answer after each line. At the end
// of a file, its size and modification time must be the same as at the
// beginning.

#include "corpus/byte_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/errno_status.h"
#include "corpus/decompressor.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

constexpr int kPollMilliseconds = 100;

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(absl::string_view bytes) : bytes_(bytes) {}

  absl::StatusOr<size_t> Read(absl::Span<char> out) override {
    const size_t size = std::min(out.size(), bytes_.size());
    std::memcpy(out.data(), bytes_.data(), size);
    bytes_.remove_prefix(size);
    return size;
  }

 private:
  absl::string_view bytes_;
};

// A file, pipe or device, without decompression.
class FileSource final : public ByteSource {
 public:
  FileSource(std::string name, int fd, bool owned,
             const std::atomic<bool>* stop)
      : name_(std::move(name)), fd_(fd), owned_(owned), stop_(stop) {
    may_wait_ = fstat(fd, &opened_) == 0 && !S_ISREG(opened_.st_mode);
  }
  ~FileSource() override {
    if (owned_) close(fd_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  // Returns enough of the first bytes to determine the compression, or all of a
  // shorter file. Read() will return them again. Does not wait for more,
  // because the next line of a pipe may take a long time.
  absl::StatusOr<absl::string_view> PeekMagic() {
    while (MayBecomeCompressed(peeked_)) {
      char buffer[kMagicBytes];
      FIRTH_ASSIGN_OR_RETURN(const size_t got,
                             ReadDirect(absl::MakeSpan(buffer)));
      if (got == 0) break;
      peeked_.append(buffer, got);
    }
    return absl::string_view(peeked_);
  }

  // Restricts further reads to the bytes [begin, end) of the file.
  absl::Status Limit(uint64_t begin, uint64_t end) {
    if (lseek(fd_, static_cast<off_t>(begin), SEEK_SET) < 0) {
      return ErrnoStatus(errno, name_, "cannot read");
    }
    left_ = end - begin;
    return absl::OkStatus();
  }

  absl::StatusOr<size_t> Read(absl::Span<char> out) override {
    if (peeked_.empty()) return ReadDirect(out);
    const size_t size = std::min(out.size(), peeked_.size());
    std::memcpy(out.data(), peeked_.data(), size);
    peeked_.erase(0, size);
    return size;
  }

 private:
  absl::Status WaitForInput() {
    pollfd wait = {fd_, POLLIN, 0};
    while (poll(&wait, 1, kPollMilliseconds) <= 0) {
      if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) {
        return absl::CancelledError(
            absl::StrCat(name_, ": reading was stopped"));
      }
    }
    return absl::OkStatus();
  }

  // Does not read again after the end, because a terminal would wait for a
  // second Ctrl-D.
  absl::StatusOr<size_t> ReadDirect(absl::Span<char> out) {
    while (!at_end_) {
      if (may_wait_) FIRTH_RETURN_IF_ERROR(WaitForInput());
      const ssize_t size =
          read(fd_, out.data(), std::min<uint64_t>(out.size(), left_));
      if (size > 0) left_ -= static_cast<uint64_t>(size);
      if (size == 0) FIRTH_RETURN_IF_ERROR(CheckUnchanged());
      at_end_ = size == 0;
      if (size >= 0) return static_cast<size_t>(size);
      if (errno != EINTR && errno != EAGAIN) {
        return ErrnoStatus(errno, name_, "cannot read");
      }
    }
    return 0;
  }

  // Called at the end. If somebody wrote to the file meanwhile, what was read
  // may be a mixture of the old and the new content.
  absl::Status CheckUnchanged() const {
    if (!S_ISREG(opened_.st_mode)) return absl::OkStatus();
    struct stat now {};
    if (fstat(fd_, &now) != 0) return ErrnoStatus(errno, name_, "cannot read");
    if (now.st_size != opened_.st_size) {
      return absl::DataLossError(absl::StrCat(
          name_, ": the file changed while it was being read, from ",
          opened_.st_size, " to ", now.st_size,
          " bytes; read a copy of it, or use a pipe"));
    }
    if (now.st_mtim.tv_sec != opened_.st_mtim.tv_sec ||
        now.st_mtim.tv_nsec != opened_.st_mtim.tv_nsec) {
      return absl::DataLossError(
          absl::StrCat(name_,
                       ": the file was modified while it was being read; read "
                       "a copy of it, or use a pipe"));
    }
    return absl::OkStatus();
  }

  std::string name_;
  int fd_;
  bool owned_;
  bool may_wait_;
  struct stat opened_ {};
  const std::atomic<bool>* stop_;
  uint64_t left_ = UINT64_MAX;  // Maximum number of bytes still to read.
  std::string peeked_;
  bool at_end_ = false;
};

}  // namespace

std::string InputName(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

std::unique_ptr<ByteSource> MakeMemorySource(absl::string_view bytes) {
  return std::make_unique<MemorySource>(bytes);
}

namespace {

absl::StatusOr<std::unique_ptr<FileSource>> OpenFile(
    const std::string& path, const std::atomic<bool>* stop) {
  const std::string name = InputName(path);
  const bool owned = path != "-";
  // Opens a pipe without waiting for its writer. Waiting happens during
  // reading, which checks `stop`.
  const int fd = owned ? open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
                       : STDIN_FILENO;
  if (fd < 0) return ErrnoStatus(errno, name, "cannot open");
  posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  return std::make_unique<FileSource>(name, fd, owned, stop);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ByteSource>> OpenByteSource(
    const std::string& path, const std::atomic<bool>* stop) {
  FIRTH_ASSIGN_OR_RETURN(std::unique_ptr<FileSource> file,
                         OpenFile(path, stop));
  FIRTH_ASSIGN_OR_RETURN(const absl::string_view start, file->PeekMagic());
  const Compression compression = RecogniseCompression(start);
  return Decompress(compression, InputName(path), std::move(file));
}

absl::StatusOr<std::unique_ptr<ByteSource>> OpenByteShare(
    const std::string& path, uint64_t begin, uint64_t end,
    const std::atomic<bool>* stop) {
  FIRTH_ASSIGN_OR_RETURN(std::unique_ptr<FileSource> file,
                         OpenFile(path, stop));
  FIRTH_RETURN_IF_ERROR(file->Limit(begin, end));
  return file;
}

}  // namespace firth
