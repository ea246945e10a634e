// Lines from standard input: a prompt where a person types, plain otherwise,
// and then as many at a time as there are.

#ifndef FIRTH_TOOLS_CLI_LINE_READER_H_
#define FIRTH_TOOLS_CLI_LINE_READER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/prompt.h"

namespace firth::tools {

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
