// Lines from standard input. A person at a terminal gets a prompt with editing
// (libedit), completion, and history that is kept from one session to the next.
// Other input is read as many lines at a time as there are.

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

// Number of typed lines that are kept, and that a prompt brings back.
inline constexpr size_t kMostHistoryLines = 1000;

// $XDG_STATE_HOME/firth/history, or ~/.local/state/firth/history; empty if
// neither folder is known (XDG Base Directory Specification, 0.8).
std::string HistoryPath();

// A file of lines, which only its owner may read. Sessions at the same time
// add to one file. Nothing here fails: history that cannot be read or written
// is not kept.
class LineHistory {
 public:
  // `path` may be empty: nothing is kept.
  explicit LineHistory(std::string path);
  // Cuts the file to its last kMostHistoryLines.
  ~LineHistory();
  LineHistory(const LineHistory&) = delete;
  LineHistory& operator=(const LineHistory&) = delete;

  // The last lines that the file has, at most kMostHistoryLines, oldest first.
  std::vector<std::string> Lines() const;
  // Adds a line, which has no line end, at once.
  void Add(absl::string_view line);

 private:
  std::string path_;
};

struct PromptOptions {
  std::string text;  // "word> "
  // The answer to "help": what can be asked, in a sentence, and the command
  // that asks about the word "help" itself, which the prompt obeys.
  std::string help;
  std::string command_for_help;
  // Returns what the word before the cursor may become, and names at most so
  // many. If it is null, Tab does nothing.
  std::function<Completions(absl::string_view typed, size_t most)> complete =
      nullptr;
};

// One at a time, since it has the terminal.
class Prompt {
 public:
  explicit Prompt(PromptOptions options);
  ~Prompt();
  Prompt(const Prompt&) = delete;
  Prompt& operator=(const Prompt&) = delete;

  // The next line, without its end; nothing when Ctrl-D, "quit" or "exit" was
  // typed. Answers "help" itself. Ctrl-C drops the line that is being typed.
  std::optional<std::string> Ask();

 private:
  class Editor;
  PromptOptions options_;
  std::unique_ptr<Editor> editor_;
};

// The words of `found` in lines of at most `columns`, then how many more there
// are.
std::string CompletionList(const Completions& found, size_t columns);

// Whether standard input and output are a terminal, so that a person may be
// asked.
bool SomebodyTypes();

class LineReader {
 public:
  // `prompt` is only for a person.
  explicit LineReader(PromptOptions prompt);

  // SomebodyTypes().
  bool interactive() const { return prompt_ != nullptr; }

  // A line without its end; InvalidArgument if it has more than 16 MiB, of
  // which nothing is kept. The lines after it can be read.
  using Line = absl::StatusOr<std::string>;

  // The next lines: one from a person, else all that have arrived, at least
  // one, up to `most`; waits only for the first. None at the end of the input,
  // or of the session. Errors: what cannot be read.
  absl::StatusOr<std::vector<Line>> Next(size_t most);

 private:
  // Waits for more bytes; false at the end.
  absl::StatusOr<bool> ReadMore();
  // Moves up to `most` lines out of the bytes.
  std::vector<Line> TakeLines(size_t most);

  std::unique_ptr<Prompt> prompt_;  // null: nobody types
  std::string bytes_;               // read, not yet taken
  size_t taken_ = 0;                // of them
  bool ended_ = false;
  bool is_too_long_ = false;  // the next line, whose start is not in bytes_
  bool at_start_ = true;      // where a byte order mark may stand
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_LINE_READER_H_
