// Names are compared by the file that they refer to (Place): a path without
// links, and a device and inode. Each written file is compared with every file
// that is read and with those written before it. Standard streams that the
// shell has redirected to files are included.

#include "cli/used_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "firth/file_info.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"

namespace firth::tools {
namespace {

using Kind = FileUse::Kind;

// The file of a path; several paths may refer to the same file.
struct Place {
  std::filesystem::path full;  // Existing part without links; empty for a
                               // stream that has no name.
  std::optional<std::pair<dev_t, ino_t>> id;  // Empty without a file.
};

std::optional<std::pair<dev_t, ino_t>> IdOf(const struct stat& found) {
  return std::pair(found.st_dev, found.st_ino);
}

Place PlaceOf(const std::string& path) {
  std::error_code error;
  Place place;
  place.full = std::filesystem::weakly_canonical(
      std::filesystem::absolute(path, error), error);
  struct stat found;
  if (stat(path.c_str(), &found) == 0) place.id = IdOf(found);
  return place;
}

bool IsSame(const Place& a, const Place& b) {
  return (!a.full.empty() && a.full == b.full) ||
         (a.id.has_value() && a.id == b.id);
}

// Returns whether `place` is below `folder`.
bool IsInside(const Place& place, const Place& folder) {
  const auto& [end, rest] =
      std::mismatch(folder.full.begin(), folder.full.end(), place.full.begin(),
                    place.full.end());
  return end == folder.full.end() && rest != place.full.end();
}

// Returns whether a file below the folder is the one at `place` under another
// name, such as a link.
bool HasLinkTo(const Place& place, const std::string& folder) {
  if (!place.id.has_value()) return false;
  std::error_code error;
  using Walk = std::filesystem::recursive_directory_iterator;
  for (Walk entry(folder, error); !error && entry != Walk();
       entry.increment(error)) {
    struct stat found;
    if (stat(entry->path().c_str(), &found) == 0 && IdOf(found) == place.id) {
      return true;
    }
  }
  return false;
}

struct PlacedFile {
  std::string name;
  std::string path;
  Kind kind;
  Place place;
  bool is_folder = false;
  std::string prefix = {};  // See FileUse.
};

bool IsWritten(Kind kind) {
  return kind == Kind::kWritten || kind == Kind::kWrittenInto;
}

void AddPath(const std::string& name, const std::string& path, Kind kind,
             std::vector<PlacedFile>* files) {
  std::error_code error;
  files->push_back({name, path, kind, PlaceOf(path),
                    std::filesystem::is_directory(path, error)});
}

// Adds a stream that the shell has opened, if it is a file.
void AddStream(int descriptor, const char* name, Kind kind,
               std::vector<PlacedFile>* files) {
  struct stat found;
  if (fstat(descriptor, &found) != 0 || !S_ISREG(found.st_mode)) return;
  std::error_code error;
  const auto link = absl::StrCat("/proc/self/fd/", descriptor);
  const auto full = std::filesystem::read_symlink(link, error);
  files->push_back({name, full.string(), kind, {full, IdOf(found)}, false});
}

// Returns whether a path is standard output, which AddStream() adds.
bool IsStandardOutput(const std::string& path) {
  return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" ||
         path == "/proc/self/fd/1";
}

// Returns the files that are read or written together with a file.
std::vector<std::string> FilesWith(const UsedFile& file) {
  if (file.use.kind == Kind::kRead) return FilesReadWith(file.path);
  if (!file.use.beside) return {};
  return file.use.beside(file.path);
}

std::vector<PlacedFile> PlaceAll(const std::vector<UsedFile>& files) {
  std::vector<PlacedFile> placed;
  for (const UsedFile& file : files) {
    const Kind kind = file.use.kind;
    if (kind == Kind::kNone || file.path.empty() || file.path == "-" ||
        (IsWritten(kind) && IsStandardOutput(file.path))) {
      continue;
    }
    AddPath(file.name, file.path, kind, &placed);
    placed.back().prefix = file.use.prefix;
    for (const std::string& path : FilesWith(file)) {
      AddPath(absl::StrCat("the second file of ", file.name), path, kind,
              &placed);
    }
  }
  AddStream(STDIN_FILENO, "standard input", Kind::kRead, &placed);
  AddStream(STDOUT_FILENO, "standard output", Kind::kWritten, &placed);
  return placed;
}

bool IsStandardInput(const std::string& path) {
  return path == "-" || path == "/dev/stdin" || path == "/dev/fd/0" ||
         path == "/proc/self/fd/0";
}

// Refuses two readers of standard input; the second would find it empty.
absl::Status CheckStandardInput(const std::vector<UsedFile>& files) {
  const UsedFile* reader = nullptr;
  for (const UsedFile& file : files) {
    if (file.use.kind != Kind::kRead || !IsStandardInput(file.path)) continue;
    if (reader != nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          reader->name, " and ", file.name, " are both \"", reader->path,
          "\", but standard input can be read only once"));
    }
    reader = &file;
  }
  return absl::OkStatus();
}

absl::Status CheckPair(const PlacedFile& written, const PlacedFile& other) {
  const bool share_folder =
      written.kind == Kind::kWrittenInto && other.kind == Kind::kWrittenInto;
  if (!share_folder && IsSame(written.place, other.place)) {
    // The message names an output before an input, and of two outputs the later
    // one first.
    return absl::InvalidArgumentError(
        absl::StrCat(written.name, " and ", other.name,
                     " are the same file, \"", written.path, "\""));
  }
  if (other.kind != Kind::kRead || !other.is_folder) return absl::OkStatus();
  if (IsInside(written.place, other.place)) {
    return absl::InvalidArgumentError(absl::StrCat(
        written.name, ": \"", written.path, "\" is in the folder ", other.path,
        ", of which ", other.name, " reads all files; choose another folder"));
  }
  if (HasLinkTo(written.place, other.path)) {
    return absl::InvalidArgumentError(absl::StrCat(
        written.name, " and a file in ", other.path, ", which ", other.name,
        " reads, are the same file, \"", written.path, "\""));
  }
  return absl::OkStatus();
}

// Refuses a file whose name has the prefix of the folder's own files, which
// could replace it or be replaced.
absl::Status CheckName(const PlacedFile& written, const PlacedFile& folder) {
  const std::string name = written.place.full.filename().string();
  if (!IsInside(written.place, folder.place) ||
      !absl::StartsWith(name, folder.prefix)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      written.name, ": the name \"", written.path, "\" begins with \"",
      folder.prefix, "\", as do the files that ", folder.name,
      " writes and removes there; choose another name"));
}

absl::Status CheckBeside(const UsedFile& file, const std::string& path) {
  std::error_code error;
  const bool owned = std::filesystem::exists(file.path, error) &&
                     (!file.use.owns_beside || file.use.owns_beside(file.path));
  if (!std::filesystem::exists(path, error) || owned) {
    return CheckWritable(path);
  }
  return absl::FailedPreconditionError(absl::StrCat(
      path, ": this file would be replaced together with ", file.path, ", but ",
      file.name, " did not write it; move it or choose another name"));
}

}  // namespace

absl::Status CheckNoneIsReadAndWritten(const std::vector<UsedFile>& files) {
  for (const UsedFile& file : files) {
    if (file.use.kind == Kind::kWritten && file.path == "-" &&
        !file.use.dash_is_stream) {
      return absl::InvalidArgumentError(
          absl::StrCat(file.name,
                       ": needs a file name instead of \"-\"; for standard "
                       "output write /dev/stdout"));
    }
  }
  FIRTH_RETURN_IF_ERROR(CheckStandardInput(files));
  const std::vector<PlacedFile> placed = PlaceAll(files);
  for (size_t i = 0; i < placed.size(); ++i) {
    if (!IsWritten(placed[i].kind)) continue;
    for (size_t j = 0; j < placed.size(); ++j) {
      const bool later_output = j >= i && IsWritten(placed[j].kind);
      if (later_output) continue;
      FIRTH_RETURN_IF_ERROR(CheckPair(placed[i], placed[j]));
    }
  }
  for (const PlacedFile& written : placed) {
    if (written.kind != Kind::kWritten) continue;
    for (const PlacedFile& folder : placed) {
      if (folder.kind != Kind::kWrittenInto) continue;
      FIRTH_RETURN_IF_ERROR(CheckName(written, folder));
    }
  }
  return absl::OkStatus();
}

// Does not open files, because opening a pipe would wait for its writer.
absl::Status CheckAllReadable(const std::vector<UsedFile>& files) {
  for (const UsedFile& file : files) {
    if (file.use.kind != Kind::kRead || file.path.empty() || file.path == "-" ||
        access(file.path.c_str(), R_OK) == 0) {
      continue;
    }
    return absl::NotFoundError(absl::StrCat(
        file.path, ": cannot open: ", std::generic_category().message(errno)));
  }
  return absl::OkStatus();
}

absl::Status CheckAllWritable(const std::vector<UsedFile>& files) {
  for (const UsedFile& file : files) {
    if (file.use.kind != Kind::kWritten || file.path.empty() ||
        file.path == "-") {
      continue;
    }
    std::error_code error;
    const bool is_folder = file.use.is_folder && file.use.is_folder(file.path);
    const std::string path(absl::StripSuffix(file.path, "/"));
    if (is_folder && std::filesystem::exists(path, error) &&
        !std::filesystem::is_directory(path, error)) {
      return absl::FailedPreconditionError(
          absl::StrCat(path,
                       ": expected a folder or an unused name, found a file; "
                       "choose another name"));
    }
    if (is_folder && !std::filesystem::exists(file.path, error)) {
      FIRTH_RETURN_IF_ERROR(CheckWritable(path));
      continue;
    }
    if (!is_folder) {
      FIRTH_RETURN_IF_ERROR(CheckWritable(file.path));
    }
    if (!file.use.beside) continue;
    for (const std::string& beside : file.use.beside(file.path)) {
      FIRTH_RETURN_IF_ERROR(CheckBeside(file, beside));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckIsRegularFile(const std::string& path) {
  std::error_code error;
  const auto found = std::filesystem::status(path, error);
  if (!std::filesystem::exists(found) ||
      std::filesystem::is_regular_file(found)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": expected a regular file, found ",
      std::filesystem::is_directory(found) ? "a folder" : "a pipe or device"));
}

absl::StatusOr<std::string> ReadRegularFile(const std::string& path) {
  FIRTH_RETURN_IF_ERROR(CheckIsRegularFile(path));
  std::ifstream file(path, std::ios::binary);
  std::string text;
  char block[1 << 16];
  // A string stream would hide a lack of memory, and read a part of the file.
  while (file.read(block, sizeof(block)), file.gcount() > 0) {
    text.append(block, static_cast<size_t>(file.gcount()));
  }
  if (file.eof()) return text;
  return absl::NotFoundError(
      absl::StrCat(path, ": cannot read: ", std::strerror(errno)));
}

}  // namespace firth::tools
