#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/documents.h"
#include "commands.h"

namespace firth::tools {
namespace {

// Offers `words`, separated by spaces, for what is being typed.
std::string Offer(absl::string_view words) {
  return absl::StrCat("COMPREPLY=($(compgen -W \"", words,
                      "\" -- \"$current\"))");
}

// One `case` branch a command: values of the option just typed, else options.
std::string BashBranch(Command* command) {
  const OptionSet options = DeclareOptions(command);
  std::vector<std::string> names;
  std::string values;
  for (const Option* option : options.All()) {
    names.push_back(absl::StrCat("--", option->name));
    if (!option->choices.empty()) {
      absl::StrAppend(&values, "        --", option->name, ") ",
                      Offer(absl::StrJoin(option->choices, " ")),
                      "; return ;;\n");
    } else if (!option->value_name.empty()) {
      // Nothing to offer but files, which bash does by default.
      absl::StrAppend(&values, "        --", option->name, ") return ;;\n");
    }
  }
  std::string out = absl::StrCat("    \"", command->text().name, "\")\n");
  if (!values.empty()) {
    absl::StrAppend(&out, "      case \"$previous\" in\n", values,
                    "      esac\n");
  }
  return absl::StrCat(out, "      [[ \"$current\" == -* ]] && ",
                      Offer(absl::StrJoin(names, " ")), " ;;\n");
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
                    Offer(absl::StrJoin(seconds, " ")),
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
      Offer(absl::StrCat(all, " --help --version")),
      "\n    return\n  fi\n"
      "  local first=2 command=\"${COMP_WORDS[1]}\"\n"
      "  if [[ $command == help && \"$current\" != -* ]]; then\n"
      "    if [[ $COMP_CWORD -eq 2 ]]; then\n      ",
      Offer(all),
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

}  // namespace firth::tools
