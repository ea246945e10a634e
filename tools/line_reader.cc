#include "line_reader.h"

#include <editline/readline.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <utility>

namespace firth::tools {

LineReader::LineReader(std::string prompt)
    : prompt_(std::move(prompt)),
      interactive_(isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0) {
  // Without it libedit takes only ASCII.
  if (interactive_) std::setlocale(LC_CTYPE, "");
}

std::optional<std::string> LineReader::NextTyped() {
  const std::unique_ptr<char, decltype(&std::free)> typed(
      readline(prompt_.c_str()), &std::free);
  if (typed == nullptr) return std::nullopt;
  if (*typed != 0) add_history(typed.get());
  return typed.get();
}

std::optional<std::string> LineReader::Next() {
  if (interactive_) return NextTyped();
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

}  // namespace firth::tools
