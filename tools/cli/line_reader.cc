// This uses libedit's own interface, because its readline interface sorts
// completions and turns Ctrl-C into a signal. While a line is typed, Ctrl-C is
// a key like any other, so that it cannot interrupt an editing step. At other
// times it ends the program as usual.
//
// A line is added to the history when it is typed, so that a killed session
// loses none. The file is opened again for each line, because a session may
// last for days. It is shortened only when a session ends; lines that another
// session adds at that moment may be lost.

#include "cli/line_reader.h"

#include <fcntl.h>
#include <histedit.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <cwchar>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cli/console.h"
#include "cli/human.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"

namespace firth::tools {
namespace {

// Maximum number of bytes to read; a thousand lines are shorter.
constexpr off_t kMostHistoryBytes = off_t{4} << 20;

// Creates folders for the owner only, as the XDG specification requires.
void MakePrivateFolders(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (folder.empty() || std::filesystem::exists(folder, ignored)) return;
  MakePrivateFolders(folder.parent_path());
  mkdir(folder.c_str(), 0700);
}

// Returns -1 if `path` is not a regular file. Does not wait for a pipe.
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

// Maximum number of words that Tab lists, about three lines.
constexpr size_t kMostShown = 30;

// Result of mbstowcs() for a text that is invalid in the locale.
constexpr auto kUnreadable = static_cast<size_t>(-1);

constexpr absl::string_view kTabKey =
    "  Tab                   completes a word; where several fit, again: "
    "shows\n"
    "                        them, the most frequent first\n";
constexpr absl::string_view kKeys =
    "  Up, Down, Ctrl-R      bring earlier lines back\n"
    "  Ctrl-C                drops the line\n"
    "  Ctrl-D, quit or exit  ends\n";

struct Key {
  const char* sent;  // Sequence of the key, in libedit's notation.
  const char* function;
};
// Keys that libedit does not bind: Ctrl-R, and Home, End, Delete and Ctrl with
// arrows as xterm and the Linux console send them.
constexpr Key kKeyFunctions[] = {
    {"^R", "em-inc-search-prev"}, {"\\e[1~", "ed-move-to-beg"},
    {"\\e[7~", "ed-move-to-beg"}, {"\\e[H", "ed-move-to-beg"},
    {"\\e[4~", "ed-move-to-end"}, {"\\e[8~", "ed-move-to-end"},
    {"\\e[F", "ed-move-to-end"},  {"\\e[3~", "ed-delete-next-char"},
    {"\\e[1;5C", "em-next-word"}, {"\\e[5C", "em-next-word"},
    {"\\e[1;5D", "ed-prev-word"}, {"\\e[5D", "ed-prev-word"},
};

// During its lifetime, no key of the terminal sends SIGINT.
class InterruptKeyOff {
 public:
  InterruptKeyOff() {
    known_ = tcgetattr(STDIN_FILENO, &before_) == 0;
    termios without = before_;
    without.c_cc[VINTR] = _POSIX_VDISABLE;
    if (known_) tcsetattr(STDIN_FILENO, TCSADRAIN, &without);
  }
  ~InterruptKeyOff() {
    if (known_) tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
  }
  InterruptKeyOff(const InterruptKeyOff&) = delete;
  InterruptKeyOff& operator=(const InterruptKeyOff&) = delete;

 private:
  bool known_;
  termios before_{};
};

constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr size_t kMostLineBytes = size_t{1} << 24;

// Removes "\r" at the end and, from the first line, a byte order mark.
std::string Plain(std::string line, bool is_first) {
  if (is_first && absl::StartsWith(line, kByteOrderMark)) {
    line.erase(0, kByteOrderMark.size());
  }
  if (absl::EndsWith(line, "\r")) line.pop_back();
  return line;
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

class Prompt::Editor {
 public:
  explicit Editor(const PromptOptions& options);
  ~Editor();
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  // Reads a line without its line end; nothing at the end of the input.
  std::optional<std::string> ReadLine();
  // Adds a line to the history.
  void Remember(const std::string& line);

 private:
  static Editor& Of(EditLine* line) {
    void* self = nullptr;
    el_get(line, EL_CLIENTDATA, &self);
    return *static_cast<Editor*>(self);
  }
  void Bind(const char* key, const char* function) {
    el_set(line_, EL_BIND, key, function, nullptr);
  }
  void BindKeys();
  unsigned char Complete();
  unsigned char Drop();
  unsigned char End();

  const PromptOptions& options_;
  std::string text_;
  EditLine* line_;
  History* history_;
  HistEvent event_{};  // Required by libedit; not used.
  LineHistory file_{HistoryPath()};
  std::string last_;  // The last line in the history.
  bool dropped_ = false;
};

Prompt::Editor::Editor(const PromptOptions& options)
    : options_(options),
      text_(options.text),
      line_(el_init("firth", stdin, stdout, stderr)),
      history_(history_init()) {
  el_set(line_, EL_CLIENTDATA, this);
  el_set(
      line_, EL_PROMPT, +[](EditLine* line) { return Of(line).text_.data(); });
  el_set(line_, EL_SIGNAL, 1);
  BindKeys();
  el_source(line_, nullptr);  // Reads ~/.editrc.
  history(history_, &event_, H_SETSIZE, static_cast<int>(kMostHistoryLines));
  history(history_, &event_, H_SETUNIQUE, 1);
  el_set(line_, EL_HIST, &history, history_);
  for (const std::string& typed : file_.Lines()) {
    // libedit cannot show lines that are invalid in the locale.
    if (std::mbstowcs(nullptr, typed.c_str(), 0) == kUnreadable) continue;
    history(history_, &event_, H_ENTER, typed.c_str());
  }
}

Prompt::Editor::~Editor() {
  el_end(line_);
  history_end(history_);
}

void Prompt::Editor::BindKeys() {
  el_set(line_, EL_EDITOR, "emacs");
  for (const Key& key : kKeyFunctions) Bind(key.sent, key.function);
  // el_set() would copy the names and leak them.
  el_wset(
      line_, EL_ADDFN, L"firth-complete", L"Complete a word",
      +[](EditLine* line, wint_t) { return Of(line).Complete(); });
  el_wset(
      line_, EL_ADDFN, L"firth-drop", L"Drop the line",
      +[](EditLine* line, wint_t) { return Of(line).Drop(); });
  el_wset(
      line_, EL_ADDFN, L"firth-end", L"End where the line is empty",
      +[](EditLine* line, wint_t) { return Of(line).End(); });
  Bind("^I", "firth-complete");
  Bind("^C", "firth-drop");
  Bind("^@", "firth-end");
}

// Adds the common prefix of all matching words to the line, or lists the words
// if that adds nothing.
unsigned char Prompt::Editor::Complete() {
  const LineInfo& line = *el_line(line_);
  const absl::string_view before(
      line.buffer, static_cast<size_t>(line.cursor - line.buffer));
  const absl::string_view typed = before.substr(before.find_last_of(" \t") + 1);
  if (!options_.complete) return CC_ERROR;
  const Completions found = options_.complete(typed, kMostShown);
  // The common prefix ends between characters, but `typed` may not.
  if (found.count == 0 || found.common.size() < typed.size()) return CC_ERROR;
  std::string added = found.common.substr(typed.size());
  if (found.count == 1) added += ' ';
  if (!added.empty()) {
    // Control characters are not inserted into the line.
    const bool good = Visible(added) == added;
    return good && el_insertstr(line_, added.c_str()) == 0 ? CC_REFRESH
                                                           : CC_ERROR;
  }
  Print("\n" + CompletionList(found, TerminalColumns(STDOUT_FILENO)));
  return CC_REDISPLAY;
}

// Ends the line as Return does, so that the cursor moves below it.
unsigned char Prompt::Editor::Drop() {
  const LineInfo& line = *el_line(line_);
  el_cursor(line_, static_cast<int>(line.lastchar - line.cursor));
  el_insertstr(line_, "^C");
  el_push(line_, "\n");
  dropped_ = true;
  return CC_REFRESH;
}

// libedit prints the prompt before it changes the terminal's mode. A Ctrl-D
// typed before that arrives as a zero byte on Linux (n_tty.c).
unsigned char Prompt::Editor::End() {
  const LineInfo& line = *el_line(line_);
  return line.buffer == line.lastchar ? CC_EOF : CC_ERROR;
}

std::optional<std::string> Prompt::Editor::ReadLine() {
  const InterruptKeyOff no_signal;
  for (;;) {
    dropped_ = false;
    int bytes = 0;
    const char* const line = el_gets(line_, &bytes);
    if (line == nullptr || bytes <= 0) return std::nullopt;
    if (dropped_) continue;
    return std::string(absl::StripSuffix(
        absl::string_view(line, static_cast<size_t>(bytes)), "\n"));
  }
}

void Prompt::Editor::Remember(const std::string& line) {
  if (line == std::exchange(last_, line)) return;
  history(history_, &event_, H_ENTER, line.c_str());
  file_.Add(line);
}

// Without a locale, libedit would accept only ASCII.
Prompt::Prompt(PromptOptions options) : options_(std::move(options)) {
  std::setlocale(LC_CTYPE, "");
  editor_ = std::make_unique<Editor>(options_);
}

Prompt::~Prompt() = default;

std::optional<std::string> Prompt::Ask() {
  for (;;) {
    std::optional<std::string> line = editor_->ReadLine();
    if (!line.has_value()) {
      Print("\n");  // The cursor is after the prompt.
      return std::nullopt;
    }
    const std::string typed(absl::StripAsciiWhitespace(*line));
    if (typed == "quit" || typed == "exit") return std::nullopt;
    if (!typed.empty()) editor_->Remember(typed);
    if (typed != "help") return line;
    Print(absl::StrCat(
        options_.help, "\n", options_.complete ? kTabKey : "", kKeys,
        "To ask about the words help, quit and exit themselves:\n  ",
        options_.command_for_help, "\n"));
  }
}

std::string CompletionList(const Completions& found, size_t columns) {
  std::vector<std::string> parts(found.words.begin(), found.words.end());
  if (found.count > parts.size()) {
    parts.push_back(
        absl::StrCat("... ", Thousands(found.count - parts.size()), " more"));
  }
  std::string list;
  size_t width = 0;  // Width of the last line.
  for (const std::string& part : parts) {
    const std::string shown = Visible(part);
    const size_t wanted = DisplayWidth(shown);
    const bool fits = width > 0 && width + 2 + wanted <= columns;
    if (width > 0) list += fits ? "  " : "\n";
    width = (fits ? width + 2 : 0) + wanted;
    list += shown;
  }
  return list + "\n";
}

bool SomebodyTypes() {
  return isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
}

LineReader::LineReader(PromptOptions prompt) {
  if (SomebodyTypes()) prompt_ = std::make_unique<Prompt>(std::move(prompt));
}

absl::StatusOr<bool> LineReader::ReadMore() {
  constexpr size_t kReadBytes = size_t{64} << 10;
  bytes_.erase(0, std::exchange(taken_, 0));
  is_too_long_ = is_too_long_ || bytes_.size() > kMostLineBytes;
  if (is_too_long_) bytes_.clear();
  const size_t size = bytes_.size();
  bytes_.resize(size + kReadBytes);
  ssize_t count;
  do {
    count = read(STDIN_FILENO, bytes_.data() + size, kReadBytes);
  } while (count < 0 && errno == EINTR);
  const int error = errno;
  bytes_.resize(size + static_cast<size_t>(std::max<ssize_t>(count, 0)));
  if (count >= 0) return count > 0;
  return absl::UnavailableError(absl::StrCat(
      "standard input: cannot read: ", std::generic_category().message(error)));
}

std::vector<LineReader::Line> LineReader::TakeLines(size_t most) {
  std::vector<Line> lines;
  while (lines.size() < most &&
         (taken_ < bytes_.size() || (ended_ && is_too_long_))) {
    size_t end = bytes_.find('\n', taken_);
    if (end == bytes_.npos) {
      if (!ended_) break;
      end = bytes_.size();
    }
    const bool is_first = std::exchange(at_start_, false);
    if (std::exchange(is_too_long_, false)) {
      lines.push_back(absl::InvalidArgumentError(absl::StrCat(
          "expected a line of at most ", kMostLineBytes, " bytes")));
    } else {
      lines.push_back(Plain(bytes_.substr(taken_, end - taken_), is_first));
    }
    taken_ = end + 1;
  }
  taken_ = std::min(taken_, bytes_.size());
  return lines;
}

absl::StatusOr<std::vector<LineReader::Line>> LineReader::Next(size_t most) {
  if (prompt_ != nullptr) {
    std::optional<std::string> line = prompt_->Ask();
    if (!line.has_value()) return std::vector<Line>();
    return std::vector<Line>{*std::move(line)};
  }
  for (;;) {
    std::vector<Line> lines = TakeLines(most);
    if (!lines.empty() || ended_) return lines;
    FIRTH_ASSIGN_OR_RETURN(const bool more, ReadMore());
    ended_ = !more;
  }
}

}  // namespace firth::tools
