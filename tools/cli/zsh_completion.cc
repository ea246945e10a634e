// A function that finds the command among the words and leaves its options to
// zsh's _arguments.

#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "cli/documents.h"
#include "cli/help_text.h"
#include "commands.h"

namespace firth::tools {
namespace {

std::string ZshQuoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

// What _arguments and _describe would take for their own signs.
std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"\\", "\\\\"}, {":", "\\:"}, {"[", "\\["}, {"]", "\\]"}});
}

// "name:what it is", as _describe wants it.
std::string Described(absl::string_view name, absl::string_view help) {
  return ZshQuoted(absl::StrCat(name, ":", Escaped(help)));
}

// ":VALUE:what to offer for it".
std::string Value(const Option& option) {
  if (option.value_name.empty()) return "";
  std::string offer = option.is_path ? "_files" : " ";
  if (!option.choices.empty()) {
    offer = absl::StrCat("(", absl::StrJoin(option.choices, " "), ")");
  }
  return absl::StrCat(":", Escaped(option.value_name), ":", offer);
}

// One line an option's spelling: -i and --input are two that exclude each
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
        ZshQuoted(absl::StrCat(once, name, "[", Escaped(ShortHelp(option)), "]",
                               Value(option))));
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

// Offers `names` with their help.
std::string Offer(const std::vector<std::string>& names) {
  return absl::StrCat("commands=(\n        ",
                      absl::StrJoin(names, "\n        "),
                      "\n      )\n      _describe command commands\n"
                      "      return\n");
}

// Where a group's name was typed, its second words are offered, or taken.
std::string GroupBranch(absl::string_view group,
                        const std::vector<std::string>& seconds) {
  return absl::StrCat("  if [[ $command == ", group,
                      " ]]; then\n    if (( CURRENT == 3 )); then\n      ",
                      Offer(seconds), "    fi\n",
                      "    command+=\" $words[3]\"\n"
                      "    shift words\n    (( CURRENT-- ))\n  fi\n");
}

}  // namespace

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
      Offer(firsts),
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

}  // namespace firth::tools
