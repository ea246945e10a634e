// A line is appended when it is typed, so that a session that is killed loses
// none. The file is opened for each line anew: a session may be open for days.
// Only at a session's end is it cut to its limit, when lines that another
// session adds in the same moment may be lost.

#include "cli/line_history.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "firth/text_file.h"

namespace firth::tools {
namespace {

// What is looked at of a file: a thousand lines have less.
constexpr off_t kMostHistoryBytes = off_t{4} << 20;

// Folders for state are their owner's alone, says the specification.
void MakePrivateFolders(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (folder.empty() || std::filesystem::exists(folder, ignored)) return;
  MakePrivateFolders(folder.parent_path());
  mkdir(folder.c_str(), 0700);
}

// -1 if `path` is no file or cannot be opened so. A pipe is not waited for.
int OpenRegular(const std::string& path, int flags) {
  const int fd = open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0600);
  struct stat found {};
  if (fd < 0 || (fstat(fd, &found) == 0 && S_ISREG(found.st_mode))) return fd;
  close(fd);
  return -1;
}

std::string ReadEnd(int fd) {
  const off_t size = lseek(fd, 0, SEEK_END);
  const off_t begin = std::max<off_t>(size - kMostHistoryBytes, 0);
  std::string bytes(static_cast<size_t>(std::max<off_t>(size - begin, 0)), 0);
  const ssize_t count = pread(fd, bytes.data(), bytes.size(), begin);
  bytes.resize(static_cast<size_t>(std::max<ssize_t>(count, 0)));
  if (begin > 0) bytes.erase(0, bytes.find('\n'));
  return bytes;
}

std::vector<std::string> ReadLines(const std::string& path) {
  const int fd = OpenRegular(path, O_RDONLY);
  if (fd < 0) return {};
  std::vector<std::string> lines =
      absl::StrSplit(ReadEnd(fd), '\n', absl::SkipEmpty());
  close(fd);
  return lines;
}

}  // namespace

std::string HistoryPath() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') {
    return absl::StrCat(state, "/firth/history");
  }
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home != '/') return "";
  return absl::StrCat(home, "/.local/state/firth/history");
}

LineHistory::LineHistory(std::string path) : path_(std::move(path)) {}

LineHistory::~LineHistory() {
  if (ReadLines(path_).size() <= kMostHistoryLines) return;
  WriteTextFile(path_, absl::StrJoin(Lines(), "\n") + "\n").IgnoreError();
}

std::vector<std::string> LineHistory::Lines() const {
  std::vector<std::string> lines = ReadLines(path_);
  if (lines.size() > kMostHistoryLines) {
    lines.erase(lines.begin(), lines.end() - kMostHistoryLines);
  }
  return lines;
}

void LineHistory::Add(absl::string_view line) {
  if (path_.empty()) return;
  MakePrivateFolders(std::filesystem::path(path_).parent_path());
  const int fd = OpenRegular(path_, O_WRONLY | O_CREAT | O_APPEND);
  if (fd < 0) return;
  fchmod(fd, 0600);
  const std::string with_end = absl::StrCat(line, "\n");
  [[maybe_unused]] const ssize_t written =
      write(fd, with_end.data(), with_end.size());
  close(fd);
}

}  // namespace firth::tools
