// Reads lines from standard input. A user at a terminal gets a prompt with
// editing (libedit), completion and a history that outlives the session. From
// other input, all lines that have arrived are read at once.

#ifndef FIRTH_TOOLS_CLI_LINE_READER_H_
#define FIRTH_TOOLS_CLI_LINE_READER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/complete_word.h"

namespace firth::tools {

// Maximum number of lines in the history.
inline constexpr size_t kMostHistoryLines = 1000;

// Returns $XDG_STATE_HOME/firth/history or ~/.local/state/firth/history, or ""
// if neither folder is known (XDG Base Directory Specification 0.8).
std::string HistoryPath();

// A file of typed lines that only its owner can read. Several sessions can add
// to it at the same time. Errors are ignored: a history that cannot be read or
// written is lost.
class LineHistory {
 public:
  // If `path` is empty, nothing is stored.
  explicit LineHistory(std::string path);
  // Shortens the file to its last kMostHistoryLines.
  ~LineHistory();
  LineHistory(const LineHistory&) = delete;
  LineHistory& operator=(const LineHistory&) = delete;

  // Returns the last lines, at most kMostHistoryLines, oldest first.
  std::vector<std::string> Lines() const;
  // Appends a line without a line end to the file at once.
  void Add(absl::string_view line);

 private:
  std::string path_;
};

struct PromptOptions {
  std::string text;  // "word> "
  // Printed for "help": a sentence about possible questions, and the command
  // that asks about the word "help" itself.
  std::string help;
  std::string command_for_help;
  // Returns completions of the word before the cursor, with at most `most`
  // words. If it is null, Tab does nothing.
  std::function<Completions(absl::string_view typed, size_t most)> complete =
      nullptr;
};

// A prompt at the terminal. Only one may exist at a time.
class Prompt {
 public:
  explicit Prompt(PromptOptions options);
  ~Prompt();
  Prompt(const Prompt&) = delete;
  Prompt& operator=(const Prompt&) = delete;

  // Returns the next line without its line end, or nothing after Ctrl-D, "quit"
  // or "exit". Answers "help" itself. Ctrl-C drops the current line.
  std::optional<std::string> Ask();

 private:
  class Editor;
  PromptOptions options_;
  std::unique_ptr<Editor> editor_;
};

// Returns the words of `found` in lines of at most `columns`, followed by the
// number of words that are not listed.
std::string CompletionList(const Completions& found, size_t columns);

// Returns whether standard input and output are a terminal.
bool SomebodyTypes();

class LineReader {
 public:
  // `prompt` is used only if SomebodyTypes().
  explicit LineReader(PromptOptions prompt);

  // Returns whether lines come from a prompt.
  bool interactive() const { return prompt_ != nullptr; }

  // A line without its line end, or InvalidArgument for a line of more than 16
  // MiB, which is skipped. Later lines can still be read.
  using Line = absl::StatusOr<std::string>;

  // Returns the next lines: one from a prompt, otherwise all that have arrived,
  // from 1 to `most`. Waits only for the first one. Returns none at the end of
  // the input. Errors: those of reading.
  absl::StatusOr<std::vector<Line>> Next(size_t most);

 private:
  // Waits for more bytes. Returns false at the end of the input.
  absl::StatusOr<bool> ReadMore();
  // Removes up to `most` lines from the bytes and returns them.
  std::vector<Line> TakeLines(size_t most);

  std::unique_ptr<Prompt> prompt_;  // Null without a terminal.
  std::string bytes_;               // Bytes that were read.
  size_t taken_ = 0;                // Number of bytes already returned.
  bool ended_ = false;
  bool is_too_long_ = false;  // The start of the next line was dropped.
  bool at_start_ = true;      // A byte order mark may follow.
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_LINE_READER_H_
