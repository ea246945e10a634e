// Lines from standard input: edited and with history where a person types,
// plain otherwise, and then as many at a time as there are.

#ifndef FIRTH_TOOLS_CLI_LINE_READER_H_
#define FIRTH_TOOLS_CLI_LINE_READER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace firth::tools {

class LineReader {
 public:
  // `prompt` is shown only to a person.
  explicit LineReader(std::string prompt);

  // Whether standard input and output are a terminal.
  bool interactive() const { return interactive_; }

  // The next lines, without their ends: one from a person, else all that have
  // arrived, at least one, up to `most`; waits only for the first. None at the
  // end of the input. Errors: what cannot be read, and a line of more than
  // 16 MiB.
  absl::StatusOr<std::vector<std::string>> Next(size_t most);

 private:
  std::vector<std::string> NextTyped();
  // Waits for more bytes; false at the end.
  absl::StatusOr<bool> ReadMore();
  // Moves up to `most` lines out of the bytes.
  std::vector<std::string> TakeLines(size_t most);

  std::string prompt_;
  bool interactive_;
  std::string bytes_;  // read, not yet taken
  size_t taken_ = 0;   // of them
  bool ended_ = false;
  bool at_start_ = true;  // where a byte order mark may stand
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_LINE_READER_H_
