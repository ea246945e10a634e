// A prompt at a terminal: lines that are edited (libedit), with history from
// one session to the next, completion, and the words that every prompt obeys.

#ifndef FIRTH_TOOLS_CLI_PROMPT_H_
#define FIRTH_TOOLS_CLI_PROMPT_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "firth/complete_word.h"

namespace firth::tools {

struct PromptOptions {
  std::string text;  // "word> "
  // What can be asked, in a sentence, for who types "help"; and the command
  // that asks about "help" itself, which is obeyed here.
  std::string help;
  std::string command_for_help;
  // What the word before the cursor may become, of which so many are named.
  // Null: Tab does nothing.
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

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_PROMPT_H_
