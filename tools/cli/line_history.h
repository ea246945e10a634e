// The lines that were typed at prompts, kept from one session to the next.

#ifndef FIRTH_TOOLS_CLI_LINE_HISTORY_H_
#define FIRTH_TOOLS_CLI_LINE_HISTORY_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace firth::tools {

// Lines that are kept, and that a prompt brings back.
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

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_LINE_HISTORY_H_
