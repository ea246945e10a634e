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
#include <bitset>
#include <cerrno>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/errno_status.h"
#include "base/foreign_content.h"
#include "base/unicode.h"
#include "corpus/decompressor.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"

namespace firth {
namespace {

constexpr int kPollMilliseconds = 100;

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(absl::string_view bytes) : bytes_(bytes) {}

  absl::StatusOr<size_t> Read(absl::Span<char> out) override {
    const size_t size = std::min(out.size(), bytes_.size());
    std::copy_n(bytes_.data(), size, out.data());
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
    std::copy_n(peeked_.data(), size, out.data());
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

// A head with more kinds of control characters is not text. Text that uses some
// as separators has only a few.
constexpr size_t kMostControls = 7;
// One NUL byte per this many bytes is too much.
constexpr size_t kBytesPerNul = 4;

struct FileMark {
  absl::string_view bytes;
  absl::string_view what;
};
constexpr FileMark kFileMarks[] = {{"\x93NUMPY", "an .npy file"},
                                   {"\x89HDF\r\n\x1a\n", "an HDF5 file"},
                                   {{"FiFu\0", 5}, "a finalfusion file"},
                                   {"\xba\x16\x4f\x2f", "a fastText model"}};

// Returns whether a control character occurs in texts: white space, backspace,
// escape.
bool IsOfText(unsigned char byte) {
  return (byte >= '\b' && byte <= '\r') || byte == 0x1B;
}

size_t CountKindsOfControls(absl::string_view head) {
  std::bitset<32> kinds;
  for (const char c : head) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < kinds.size() && !IsOfText(byte)) kinds.set(byte);
  }
  return kinds.count();
}

// Returns a description such as "a safetensors file", or "" for text.
std::string FindBinaryContent(absl::string_view head) {
  head = head.substr(0, kBinaryHeadBytes);
  if (LooksLikeSafetensors(head)) return "a safetensors file";
  if (std::string foreign = FindForeignContent(head); !foreign.empty()) {
    return foreign;
  }
  for (const FileMark& magic : kFileMarks) {
    if (absl::StartsWith(head, magic.bytes)) return std::string(magic.what);
  }
  const size_t kinds = CountKindsOfControls(head);
  if (kinds > kMostControls) {
    return absl::StrCat("a binary file, with ", kinds,
                        " different control characters in its first ",
                        head.size(), " bytes");
  }
  const auto nuls =
      static_cast<size_t>(std::count(head.begin(), head.end(), '\0'));
  if (nuls * kBytesPerNul <= head.size()) return "";
  return absl::StrCat(
      nuls, " NUL bytes among the first ", head.size(),
      ", as in UTF-16 (\"iconv -f UTF-16 -t UTF-8\" converts such text)");
}

constexpr size_t kLineReadBytes = size_t{64} << 10;

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

absl::StatusOr<std::string> ReadText(const std::string& path,
                                     const std::atomic<bool>* stop) {
  constexpr size_t kReadBytes = size_t{1} << 16;
  FIRTH_ASSIGN_OR_RETURN(const std::unique_ptr<ByteSource> source,
                         OpenByteSource(path, stop));
  std::string text;
  for (size_t read = 1; read > 0;) {
    const size_t before = text.size();
    text.resize(before + kReadBytes);
    FIRTH_ASSIGN_OR_RETURN(
        read, source->Read(absl::MakeSpan(&text[before], kReadBytes)));
    text.resize(before + read);
  }
  FIRTH_RETURN_IF_ERROR(CheckIsText(InputName(path), text));
  return text;
}

absl::StatusOr<std::unique_ptr<ByteSource>> OpenByteShare(
    const std::string& path, uint64_t begin, uint64_t end,
    const std::atomic<bool>* stop) {
  FIRTH_ASSIGN_OR_RETURN(std::unique_ptr<FileSource> file,
                         OpenFile(path, stop));
  FIRTH_RETURN_IF_ERROR(file->Limit(begin, end));
  return file;
}

absl::Status CheckIsText(const std::string& name, absl::string_view head) {
  const std::string found = FindBinaryContent(head);
  if (found.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": expected text, found ", found));
}

LineReader::LineReader(std::vector<std::string> paths,
                       const std::atomic<bool>* stop, LongLines long_lines)
    : paths_(std::move(paths)), stop_(stop), long_lines_(long_lines) {}

std::string LineReader::Place() const {
  return absl::StrCat(file(), ":", line_);
}

std::string LineReader::LeftOutMessage() const {
  return absl::StrCat(Place(), ": expected a line of at most ", kMostLineBytes,
                      " bytes");
}

absl::StatusOr<bool> LineReader::Next(absl::string_view* line) {
  if (source_ == nullptr) {
    FIRTH_ASSIGN_OR_RETURN(source_, OpenByteSource(paths_[file_], stop_));
    line_ = 0;
  }
  is_left_out_ = false;
  size_t end;
  while ((end = bytes_.find('\n', taken_)) == bytes_.npos) {
    FIRTH_ASSIGN_OR_RETURN(const bool more, ReadMore());
    if (more) continue;
    if (taken_ == bytes_.size() && !is_left_out_) {
      source_.reset();
      return false;
    }
    end = bytes_.size();
    break;
  }
  ++line_;
  const absl::string_view whole = absl::string_view(bytes_).substr(
      taken_, std::min(end + 1, bytes_.size()) - taken_);
  taken_ += whole.size();
  *line = whole.substr(0, whole.size() - (end < bytes_.size() ? 1 : 0));
  if (absl::EndsWith(*line, "\r")) line->remove_suffix(1);
  line_end_ = whole.substr(line->size());
  if (is_left_out_) *line = "";
  if (line_ == 1) *line = WithoutByteOrderMark(*line);
  return true;
}

absl::StatusOr<bool> LineReader::ReadMore() {
  bytes_.erase(0, std::exchange(taken_, 0));
  if (bytes_.size() > kMostLineBytes && long_lines_ == LongLines::kRefused) {
    ++line_;
    return absl::InvalidArgumentError(LeftOutMessage());
  }
  is_left_out_ = is_left_out_ || bytes_.size() > kMostLineBytes;
  if (is_left_out_) bytes_.clear();
  const size_t size = bytes_.size();
  bytes_.resize(size + kLineReadBytes);
  FIRTH_ASSIGN_OR_RETURN(
      const size_t count,
      source_->Read(absl::MakeSpan(bytes_.data() + size, kLineReadBytes)));
  bytes_.resize(size + count);
  if (size == 0 && line_ == 0 && !is_left_out_) {
    FIRTH_RETURN_IF_ERROR(CheckIsText(file(), bytes_));
  }
  return count > 0;
}

}  // namespace firth
