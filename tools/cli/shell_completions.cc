// Completions for shells, from the declarations of commands and options. The
// script for bash has one branch per command. The script for zsh finds the
// command among the words and passes its options to _arguments. The script for
// fish has one line per command and per option, with conditions.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "cli/documents.h"
#include "commands.h"

namespace firth::tools {
namespace {

// Returns code that offers `words`, separated by spaces, as completions.
std::string BashOffer(absl::string_view words) {
  return absl::StrCat("COMPREPLY=($(compgen -W \"", words,
                      "\" -- \"$current\"))");
}

// Returns a `case` branch: values of the last option, otherwise options.
std::string BashBranch(Command* command) {
  const OptionSet options = DeclareOptions(command);
  std::vector<std::string> names;
  std::string values;
  for (const Option* option : options.All()) {
    names.push_back(absl::StrCat("--", option->name));
    if (!option->choices.empty()) {
      absl::StrAppend(&values, "        --", option->name, ") ",
                      BashOffer(absl::StrJoin(option->choices, " ")),
                      "; return ;;\n");
    } else if (!option->value_name.empty()) {
      // Bash offers files by default.
      absl::StrAppend(&values, "        --", option->name, ") return ;;\n");
    }
  }
  std::string out = absl::StrCat("    \"", command->text().name, "\")\n");
  if (!values.empty()) {
    absl::StrAppend(&out, "      case \"$previous\" in\n", values,
                    "      esac\n");
  }
  return absl::StrCat(out, "      [[ \"$current\" == -* ]] && ",
                      BashOffer(absl::StrJoin(names, " ")), " ;;\n");
}

std::string ZshQuoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

// Escapes the special characters of _arguments and _describe.
std::string ZshEscaped(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"\\", "\\\\"}, {":", "\\:"}, {"[", "\\["}, {"]", "\\]"}});
}

// Returns "name:description", the format of _describe.
std::string Described(absl::string_view name, absl::string_view help) {
  return ZshQuoted(absl::StrCat(name, ":", ZshEscaped(help)));
}

// Returns ":VALUE:completions" for _arguments.
std::string Value(const Option& option) {
  if (option.value_name.empty()) return "";
  std::string offer = option.is_path ? "_files" : " ";
  if (!option.choices.empty()) {
    offer = absl::StrCat("(", absl::StrJoin(option.choices, " "), ")");
  }
  return absl::StrCat(":", ZshEscaped(option.value_name), ":", offer);
}

// Returns one line per spelling of an option; -i and --input exclude each
// other.
std::string OptionLines(const Option& option) {
  std::vector<std::string> names = {absl::StrCat("--", option.name)};
  if (option.letter != 0) {
    names.push_back(absl::StrCat("-", std::string(1, option.letter)));
  }
  std::string out;
  for (const std::string& name : names) {
    const std::string once =
        option.repeated ? "*"
                        : absl::StrCat("(", absl::StrJoin(names, " "), ")");
    absl::StrAppend(
        &out, " \\\n        ",
        ZshQuoted(absl::StrCat(once, name, "[", ZshEscaped(ShortHelp(option)),
                               "]", Value(option))));
  }
  return out;
}

std::string ZshBranch(Command* command) {
  const OptionSet options = DeclareOptions(command);
  std::string out = absl::StrCat("    ", ZshQuoted(command->text().name),
                                 ")\n      _arguments -s -S");
  for (const Option* option : options.All()) {
    absl::StrAppend(&out, OptionLines(*option));
  }
  return absl::StrCat(out, " \\\n        '*:file:_files' ;;\n");
}

// Returns code that offers `names` with their help.
std::string ZshOffer(const std::vector<std::string>& names) {
  return absl::StrCat("commands=(\n        ",
                      absl::StrJoin(names, "\n        "),
                      "\n      )\n      _describe command commands\n"
                      "      return\n");
}

// Returns code that offers or reads the second word of a group's command.
std::string GroupBranch(absl::string_view group,
                        const std::vector<std::string>& seconds) {
  return absl::StrCat("  if [[ $command == ", group,
                      " ]]; then\n    if (( CURRENT == 3 )); then\n      ",
                      ZshOffer(seconds), "    fi\n",
                      "    command+=\" $words[3]\"\n"
                      "    shift words\n    (( CURRENT-- ))\n  fi\n");
}

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

// Returns a line that offers a word of a command after the words `before`.
std::string WordLine(absl::string_view before, absl::string_view word,
                     absl::string_view help) {
  return absl::StrCat("complete -c firth -f -n '__firth_only",
                      before.empty() ? "" : " ", before, "' -a ", word, " -d ",
                      FishQuoted(help), "\n");
}

}  // namespace

std::string BashCompletion() {
  std::set<std::string> names;
  std::map<std::string, std::vector<std::string>> groups;
  std::string branches;
  for (const auto& command : AllCommands()) {
    const auto [first, second] = NameWords(*command);
    names.insert(first);
    if (!second.empty()) groups[first].push_back(second);
    absl::StrAppend(&branches, BashBranch(command.get()));
  }
  std::string group_branches;
  for (const auto& [group, seconds] : groups) {
    absl::StrAppend(&group_branches, "    ", group,
                    ")\n      if [[ $COMP_CWORD -eq $first ]]; then\n        ",
                    BashOffer(absl::StrJoin(seconds, " ")),
                    "\n        return\n      fi\n"
                    "      command+=\" ${COMP_WORDS[first]}\" ;;\n");
  }
  const std::string all = absl::StrJoin(names, " ");
  return absl::StrCat(
      "# bash completion for firth\n"
      "_firth() {\n"
      "  local current=\"${COMP_WORDS[COMP_CWORD]}\"\n"
      "  local previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
      "  COMPREPLY=()\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then\n    ",
      BashOffer(absl::StrCat(all, " --help --version")),
      "\n    return\n  fi\n"
      "  local first=2 command=\"${COMP_WORDS[1]}\"\n"
      "  if [[ $command == help && \"$current\" != -* ]]; then\n"
      "    if [[ $COMP_CWORD -eq 2 ]]; then\n      ",
      BashOffer(all),
      "\n      return\n    fi\n"
      "    first=3 command=\"${COMP_WORDS[2]}\"\n  fi\n"
      "  case \"$command\" in\n",
      group_branches,
      "  esac\n"
      "  case \"$command\" in\n",
      branches,
      "  esac\n"
      "}\n"
      "complete -o default -F _firth firth\n");
}

std::string ZshCompletion() {
  std::vector<std::string> firsts;
  std::map<std::string, std::vector<std::string>> groups;
  std::string branches;
  for (const auto& command : AllCommands()) {
    const auto [first, second] = NameWords(*command);
    if (second.empty()) {
      firsts.push_back(Described(first, command->text().summary));
    } else {
      if (groups.find(first) == groups.end()) {
        firsts.push_back(Described(first, "a group of commands"));
      }
      groups[first].push_back(Described(second, command->text().summary));
    }
    absl::StrAppend(&branches, ZshBranch(command.get()));
  }
  std::string group_branches;
  for (const auto& [group, seconds] : groups) {
    absl::StrAppend(&group_branches, GroupBranch(group, seconds));
  }
  return absl::StrCat(
      "#compdef firth\n"
      "_firth() {\n"
      "  local -a commands\n"
      "  if [[ $words[2] == help && $words[CURRENT] != -* ]] &&\n"
      "    (( CURRENT > 2 )); then\n"
      "    shift words\n    (( CURRENT-- ))\n  fi\n"
      "  if (( CURRENT == 2 )); then\n      ",
      ZshOffer(firsts),
      "  fi\n"
      "  local command=$words[2]\n",
      group_branches,
      "  shift words\n  (( CURRENT-- ))\n"
      "  case $command in\n",
      branches,
      "  esac\n"
      "}\n"
      "if [[ $funcstack[1] == _firth ]]; then\n"
      "  _firth \"$@\"\n"
      "else\n"
      "  compdef _firth firth\n"
      "fi\n");
}

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
