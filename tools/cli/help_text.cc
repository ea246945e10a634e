// All help is made from what commands and options say of themselves. A command
// shows its everyday options first and tells how to see the others; with
// --help=all, or where no option is an everyday one, it shows all of them by
// their sections.

#include "cli/help_text.h"

#include <algorithm>
#include <cstddef>
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
  return line + Wrap(option.FullHelp(with_details), kHelpColumn);
}

std::string CommandLine(const Command& command) {
  return absl::StrFormat("  %-18s%s\n", command.name(), command.summary());
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
  return absl::StrCat(
      "\n"
      "Common options:\n",
      everyday, "\n\"firth ", command.name(), " --help=all\" explains all ",
      all.size(), " options.\n");
}

std::string Paragraphs(absl::string_view description) {
  std::string out;
  for (const absl::string_view paragraph :
       absl::StrSplit(description, "\n\n")) {
    const bool example = absl::StartsWith(paragraph, "  ");
    absl::StrAppend(
        &out, "\n",
        example ? absl::StrCat(paragraph, "\n") : Wrap(paragraph, 0));
  }
  return out;
}

}  // namespace

const absl::string_view kProgramSummary =
    "trains word vectors on text, queries them and evaluates them";

std::string Wrap(absl::string_view text, size_t indent) {
  std::string out;
  size_t column = indent;
  for (const absl::string_view word :
       absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty())) {
    if (column > indent && column + 1 + DisplayWidth(word) > kWidth) {
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
  const size_t clause = option.help.find_first_of(":;");
  return option.help.substr(0, std::min(clause, option.help.find(". ")));
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
      "\n\"firth ", first, " COMMAND --help\" describes each.\n");
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
      "\n"
      "\"firth COMMAND --help\" describes a command, \"firth --version\" "
      "prints the version.\n"
      "\n"
      "First steps:\n"
      "  firth demo                                   see it work\n"
      "  firth train --input corpus.txt --output model.safetensors\n"
      "  firth nn model.safetensors king              find similar words\n");
  return out;
}

std::string CommandHelp(const Command& command, const OptionSet& options,
                        bool all) {
  std::string out = absl::StrCat("firth ", command.name(), " - ",
                                 command.summary(), "\n\nusage: firth ",
                                 command.name(), " ", command.synopsis(), "\n");
  absl::StrAppend(&out, Paragraphs(command.description()));
  const std::string everyday = all ? "" : EverydayOptions(command, options);
  return out + (everyday.empty() ? AllOptions(options) : everyday);
}

}  // namespace firth::tools
