// One `complete` line for each command and each option, with a condition that
// tells at which command the user is.

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "cli/documents.h"
#include "cli/help_text.h"
#include "commands.h"

namespace firth::tools {
namespace {

constexpr absl::string_view kStart = R"(# fish completion for firth
# Whether the words after firth begin with the arguments; "firth help" is left
# out where it stands before a command.
function __firth_at
    set -l words (commandline -opc)
    set -e words[1]
    if test "$words[1]" = help; and test (count $words) -gt 1
        set -e words[1]
    end
    test (count $words) -ge (count $argv); or return
    set -l start $words[1..(count $argv)]
    test "$start" = "$argv"
end
# Whether these are all words after firth.
function __firth_only
    set -l words (commandline -opc)
    set -e words[1]
    if test "$words[1]" = help
        set -e words[1]
    end
    test "$words" = "$argv"
end
)";

std::string FishQuoted(absl::string_view text) {
  return absl::StrCat(
      "'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

std::string OptionLine(const Command& command, const Option& option) {
  std::string line = absl::StrCat("complete -c firth -n '__firth_at ",
                                  command.text().name, "' -l ", option.name);
  if (option.letter != 0) {
    absl::StrAppend(&line, " -s ", std::string(1, option.letter));
  }
  if (!option.choices.empty()) {
    absl::StrAppend(&line, " -x -a '", absl::StrJoin(option.choices, " "), "'");
  } else if (!option.value_name.empty()) {
    absl::StrAppend(&line, option.is_path ? " -r -F" : " -x");
  }
  return absl::StrCat(line, " -d ", FishQuoted(ShortHelp(option)), "\n");
}

// Offers a command's word where `before` is all that was typed.
std::string WordLine(absl::string_view before, absl::string_view word,
                     absl::string_view help) {
  return absl::StrCat("complete -c firth -f -n '__firth_only",
                      before.empty() ? "" : " ", before, "' -a ", word, " -d ",
                      FishQuoted(help), "\n");
}

}  // namespace

std::string FishCompletion() {
  std::string out(kStart);
  std::set<std::string> groups;
  for (const auto& command : AllCommands()) {
    const auto [first, second] = NameWords(*command);
    if (second.empty()) {
      absl::StrAppend(&out, WordLine("", first, command->text().summary));
    } else {
      if (groups.insert(first).second) {
        absl::StrAppend(&out, WordLine("", first, "a group of commands"));
      }
      absl::StrAppend(&out, WordLine(first, second, command->text().summary));
    }
    const OptionSet options = DeclareOptions(command.get());
    for (const Option* option : options.All()) {
      absl::StrAppend(&out, OptionLine(*command, *option));
    }
  }
  return out;
}

}  // namespace firth::tools
