// The boundary of two shares is searched for from the point of an even division
// on: the next line end, or white space, or the end of the file. Each reader
// finds the boundaries of its own share, and two neighbors find the same one.

#include "corpus/input_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <tuple>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/errno_status.h"
#include "base/unicode.h"
#include "corpus/decompressor.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

namespace fs = std::filesystem;

bool IsHidden(const fs::path& path) {
  return path.filename().string().rfind('.', 0) == 0;
}

absl::Status CheckReadable(const std::string& path) {
  if (access(path.c_str(), R_OK) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, path, "cannot read");
}

absl::StatusOr<std::vector<std::string>> FilesBelow(const std::string& folder,
                                                    LeftOutFiles* left_out) {
  std::vector<std::string> files;
  std::error_code error;
  std::string listed = folder;  // The folder that the iterator lists next.
  fs::recursive_directory_iterator entry(folder, error);
  while (!error && entry != fs::recursive_directory_iterator()) {
    if (IsHidden(entry->path())) {
      entry.disable_recursion_pending();
      ++left_out->hidden;
    } else if (entry->is_regular_file(error)) {
      files.push_back(entry->path().string());
    } else if (entry->is_symlink(error) || !entry->is_directory(error)) {
      ++left_out->special;
    } else {
      listed = entry->path().string();
    }
    // A dangling link is not a regular file, but not an error either.
    entry.increment(error);
  }
  if (error) return ErrnoStatus(error.value(), listed, "cannot list");
  if (files.empty()) {
    return absl::NotFoundError(
        absl::StrCat(folder,
                     ": the folder contains no files (hidden files and folders "
                     "are ignored)"));
  }
  std::sort(files.begin(), files.end());
  return files;
}

// A position between two bytes of the text. The end of a file is the start of
// the next.
struct Border {
  size_t file = 0;
  uint64_t byte = 0;
  bool inside_line = false;

  bool operator<(const Border& other) const {
    return std::tie(file, byte) < std::tie(other.file, other.byte);
  }
};

absl::StatusOr<std::string> ReadAt(const std::string& path, uint64_t begin,
                                   size_t size) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoStatus(errno, path, "cannot open");
  const absl::Cleanup close_it = [fd] { close(fd); };
  std::string bytes(size, '\0');
  size_t got = 0;
  while (got < size) {
    const ssize_t now = pread(fd, bytes.data() + got, size - got,
                              static_cast<off_t>(begin + got));
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) return ErrnoStatus(errno, path, "cannot read");
    if (now == 0) break;
    got += static_cast<size_t>(now);
  }
  bytes.resize(got);
  return bytes;
}

absl::StatusOr<bool> IsCompressed(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const std::string start, ReadAt(path, 0, kMagicBytes));
  return RecogniseCompression(start) != Compression::kNone;
}

// Returns the first boundary of words at or after byte `at`, which must be
// inside the file.
absl::StatusOr<Border> BorderInFile(const FileSize& file, size_t number,
                                    uint64_t at, size_t look_ahead) {
  const Border next_file{number + 1, 0, false};
  FIRTH_ASSIGN_OR_RETURN(const bool compressed, IsCompressed(file.path));
  if (compressed) return next_file;
  // Includes the byte before, which may be the line end that makes `at` a
  // boundary.
  FIRTH_ASSIGN_OR_RETURN(const std::string text,
                         ReadAt(file.path, at - 1, look_ahead + 1));
  size_t end = absl::string_view(text).find('\n');
  const bool inside_line = end == absl::string_view::npos;
  if (!inside_line) {
    ++end;
  } else {
    const absl::string_view behind = absl::string_view(text).substr(1);
    const size_t size = FindWhiteSpace(behind);
    if (size == behind.size()) return next_file;
    end = 1 + size + WhiteSpaceBytes(behind.substr(size));
  }
  const Border border{number, at - 1 + end, inside_line};
  return border.byte >= file.bytes ? next_file : border;
}

// Returns the boundary for byte `at` of the whole text.
absl::StatusOr<Border> BorderAt(const std::vector<FileSize>& files, uint64_t at,
                                size_t look_ahead) {
  size_t number = 0;
  while (number < files.size() && at >= files[number].bytes) {
    at -= files[number++].bytes;
  }
  if (number == files.size() || at == 0) return Border{number, 0, false};
  return BorderInFile(files[number], number, at, look_ahead);
}

std::vector<FileShare> Between(const std::vector<FileSize>& files,
                               const Border& from, const Border& to) {
  std::vector<FileShare> shares;
  for (size_t i = from.file; i < files.size() && i <= to.file; ++i) {
    FileShare share{files[i].path};
    if (i == from.file) {
      share.begin = from.byte;
      share.begins_inside_line = from.inside_line;
    }
    if (i == to.file) {
      share.end = to.byte;
      share.ends_inside_line = to.inside_line;
    }
    if (share.begin < share.end) shares.push_back(std::move(share));
  }
  return shares;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ExpandInputs(
    const std::vector<std::string>& inputs, LeftOutFiles* left_out) {
  LeftOutFiles unasked;
  if (left_out == nullptr) left_out = &unasked;
  std::vector<std::string> files;
  for (const std::string& input : inputs) {
    std::error_code error;
    if (input != "-" && fs::is_directory(input, error)) {
      FIRTH_ASSIGN_OR_RETURN(const auto below, FilesBelow(input, left_out));
      files.insert(files.end(), below.begin(), below.end());
    } else {
      files.push_back(input);
    }
  }
  for (const std::string& file : files) {
    if (file != "-") FIRTH_RETURN_IF_ERROR(CheckReadable(file));
  }
  return files;
}

absl::StatusOr<std::vector<FileSize>> SizesOf(
    const std::vector<std::string>& paths) {
  std::vector<FileSize> files;
  for (const std::string& path : paths) {
    struct stat found {};
    if (path == "-" ||
        (stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode))) {
      return absl::InvalidArgumentError(
          absl::StrCat(path == "-" ? "standard input" : path,
                       ": must be a regular file, so that every rank can read "
                       "its part of it"));
    }
    if (stat(path.c_str(), &found) != 0) {
      return ErrnoStatus(errno, path, "cannot read");
    }
    files.push_back({path, static_cast<uint64_t>(found.st_size)});
  }
  return files;
}

absl::StatusOr<uint64_t> SampleSum(const FileSize& file) {
  constexpr uint64_t kSamples = 64;
  constexpr uint64_t kSampleBytes = 4096;
  // The first sample is the start of the file and the last one its end. A file
  // that is shorter than all samples is read completely.
  const uint64_t last = file.bytes - std::min(file.bytes, kSampleBytes);
  const uint64_t samples = std::min(kSamples, file.bytes / kSampleBytes + 1);
  uint64_t sum = 0;
  for (uint64_t i = 0; i <= samples; ++i) {
    FIRTH_ASSIGN_OR_RETURN(
        const std::string bytes,
        ReadAt(file.path, last / samples * i + last % samples * i / samples,
               kSampleBytes));
    sum = Checksum(bytes, sum);
  }
  return sum;
}

absl::StatusOr<std::vector<FileShare>> ShareOf(
    const std::vector<FileSize>& files, size_t reader, size_t readers,
    size_t look_ahead) {
  uint64_t bytes = 0;
  for (const FileSize& file : files) bytes += file.bytes;
  const auto start = [&](size_t number) {  // Computed without overflow.
    return bytes / readers * number + bytes % readers * number / readers;
  };
  // A boundary may be far after its nominal position, and then the following
  // ones move, too.
  Border from;
  Border to;
  for (size_t i = 1; i <= reader + 1; ++i) {
    from = to;
    Border border{files.size(), 0, false};
    if (i < readers) {
      FIRTH_ASSIGN_OR_RETURN(border, BorderAt(files, start(i), look_ahead));
    }
    to = std::max(from, border);
  }
  return Between(files, from, to);
}

}  // namespace firth
