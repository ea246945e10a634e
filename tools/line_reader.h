// Lines from standard input: edited and with history where a person types,
// plain otherwise.

#ifndef FIRTH_TOOLS_LINE_READER_H_
#define FIRTH_TOOLS_LINE_READER_H_

#include <optional>
#include <string>

namespace firth::tools {

class LineReader {
 public:
  // `prompt` is shown only to a person.
  explicit LineReader(std::string prompt);

  // Whether standard input and output are a terminal.
  bool interactive() const { return interactive_; }

  // The next line without its end, or nothing at the end of the input.
  std::optional<std::string> Next();

 private:
  std::optional<std::string> NextTyped();

  std::string prompt_;
  bool interactive_;
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_LINE_READER_H_
