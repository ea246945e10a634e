// All help is generated from the declarations of commands and options. The help
// of a command lists its everyday options and refers to --help=all, which lists
// all options by section. If no option is an everyday one, all are listed.

#include "cli/help_text.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "cli/human.h"
#include "commands.h"

namespace firth::tools {
namespace {

constexpr size_t kWidth = 79;
constexpr size_t kHelpColumn = 30;

std::string OptionHelp(const Option& option, bool with_details) {
  // Long names align whether or not there is a short one.
  std::string line =
      absl::StrCat(option.letter == 0 ? "      " : "  ", OptionUsage(option));
  if (line.size() + 2 > kHelpColumn) {
    absl::StrAppend(&line, "\n", std::string(kHelpColumn, ' '));
  } else {
    line.resize(kHelpColumn, ' ');
  }
  return line + Wrap(option.FullHelp(with_details), kHelpColumn, kWidth);
}

std::string CommandLine(const Command& command) {
  return absl::StrFormat("  %-18s%s\n", command.text().name,
                         command.text().summary);
}

std::string AllOptions(const OptionSet& options) {
  std::string out;
  for (const OptionSection& section : options.sections()) {
    absl::StrAppend(&out, "\n", section.title, ":\n");
    for (const Option& option : section.options) {
      absl::StrAppend(&out, OptionHelp(option, /*with_details=*/true));
    }
  }
  return out;
}

// The everyday options in one list, and how to see the others; empty if no
// option is an everyday one.
std::string EverydayOptions(const Command& command, const OptionSet& options) {
  std::string everyday;
  const std::vector<const Option*> all = options.All();
  for (const Option* option : all) {
    if (!option->everyday) continue;
    absl::StrAppend(&everyday, OptionHelp(*option, /*with_details=*/false));
  }
  if (everyday.empty()) return "";
  return absl::StrCat("\nCommon options:\n", everyday, "\n\"firth ",
                      command.text().name, " --help=all\" describes all ",
                      all.size(), " options.\n");
}

std::string Paragraphs(absl::string_view description) {
  std::string out;
  for (const absl::string_view paragraph :
       absl::StrSplit(description, "\n\n")) {
    const bool example = absl::StartsWith(paragraph, "  ");
    absl::StrAppend(
        &out, "\n",
        example ? absl::StrCat(paragraph, "\n") : Wrap(paragraph, 0, kWidth));
  }
  return out;
}

}  // namespace

std::string Wrap(absl::string_view text, size_t indent, size_t width) {
  std::string out;
  size_t column = indent;
  for (const absl::string_view word :
       absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty())) {
    if (column > indent && column + 1 + DisplayWidth(word) > width) {
      absl::StrAppend(&out, "\n", std::string(indent, ' '));
      column = indent;
    }
    if (column > indent) {
      out += ' ';
      ++column;
    }
    absl::StrAppend(&out, word);
    column += DisplayWidth(word);
  }
  return out + "\n";
}

const absl::string_view kProgramSummary =
    "trains word vectors on text, and queries and evaluates them";

std::string VersionLine() { return "firth " FIRTH_VERSION "\n"; }

std::string OptionUsage(const Option& option) {
  std::string usage;
  if (option.letter != 0) {
    usage = absl::StrCat("-", std::string(1, option.letter), ", ");
  }
  absl::StrAppend(&usage, "--", option.name);
  if (!option.value_name.empty()) {
    absl::StrAppend(&usage, " ", option.value_name);
  }
  return usage;
}

std::string ShortHelp(const Option& option) {
  const size_t end =
      std::min(option.help.find_first_of(":;"), option.help.find(". "));
  return option.help.substr(0, end);
}

std::string ShortUsage() {
  return "usage: firth COMMAND [OPTION...]\n"
         "       firth train --input corpus.txt --output model.safetensors\n"
         "       firth demo\n"
         "Try \"firth --help\".\n";
}

std::string GroupHelp(absl::string_view first) {
  std::string commands;
  for (const auto& command : AllCommands()) {
    const auto words = NameWords(*command);
    if (words.first != first || words.second.empty()) continue;
    absl::StrAppend(&commands, CommandLine(*command));
  }
  if (commands.empty()) return commands;
  return absl::StrCat(
      "usage: firth ", first, " COMMAND [OPTION...]\n\nCommands:\n", commands,
      "\n\"firth ", first, " COMMAND --help\" describes a command.\n");
}

std::string ProgramHelp() {
  std::string out = absl::StrCat("firth ", kProgramSummary,
                                 ".\n\nusage: firth COMMAND [OPTION...]\n");
  for (const CommandGroup& group : CommandGroups()) {
    absl::StrAppend(&out, "\n", group.title, ":\n");
    for (const auto& command : group.commands) {
      absl::StrAppend(&out, CommandLine(*command));
    }
  }
  absl::StrAppend(
      &out,
      "\n\"firth COMMAND --help\" describes a command; \"firth --version\" "
      "prints the version.\n\nFirst steps:\n"
      "  firth demo                              # see the program at work\n"
      "  firth train --input corpus.txt --output model.safetensors\n"
      "  firth nn model.safetensors king         # the words most similar to "
      "king\n");
  return out;
}

std::string CommandHelp(const Command& command, const OptionSet& options,
                        bool all) {
  std::string out =
      absl::StrCat("firth ", command.text().name, " - ", command.text().summary,
                   "\n\nusage: firth ", command.text().name, " ",
                   command.text().synopsis, "\n");
  absl::StrAppend(&out, Paragraphs(command.text().description));
  const std::string everyday = all ? "" : EverydayOptions(command, options);
  return out + (everyday.empty() ? AllOptions(options) : everyday);
}

}  // namespace firth::tools
