#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "cli/documents.h"
#include "cli/help_text.h"
#include "commands.h"

namespace firth::tools {
namespace {

// Text that roff prints as it is: no escapes, no requests at the start of a
// line, and "-" as the character that a user can type.
std::string Escape(absl::string_view text) {
  std::string escaped =
      absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}, {"'", "\\(aq"}});
  if (absl::StartsWith(escaped, ".")) escaped.insert(0, "\\&");
  return absl::StrReplaceAll(escaped, {{"\n.", "\n\\&."}});
}

std::string RoffParagraphs(absl::string_view description) {
  std::string out;
  for (const absl::string_view paragraph :
       absl::StrSplit(description, "\n\n")) {
    if (absl::StartsWith(paragraph, "  ")) {
      absl::StrAppend(&out, ".PP\n.nf\n", Escape(paragraph), "\n.fi\n");
    } else {
      absl::StrAppend(&out, ".PP\n", Escape(paragraph), "\n");
    }
  }
  return out;
}

std::string OptionEntry(const Option& option) {
  return absl::StrCat(".TP\n.B ", Escape(OptionUsage(option)), "\n",
                      Escape(option.FullHelp()), "\n");
}

std::string Title(absl::string_view name) {
  return absl::StrCat(".TH ", Escape(absl::AsciiStrToUpper(name)),
                      " 1 \"\" \"firth " FIRTH_VERSION
                      "\" \"User Commands\"\n");
}

std::string PageName(const Command& command) {
  return absl::StrCat("firth-",
                      absl::StrReplaceAll(command.text().name, {{" ", "-"}}));
}

constexpr absl::string_view kExitStatus =
    ".SH \"EXIT STATUS\"\n"
    ".TP\n.B 0\nSuccess.\n"
    ".TP\n.B 1\nFailure: a file, the text or the machine did not allow it. No "
    "output file was changed.\n"
    ".TP\n.B 2\nUsage error: an unknown option, a value out of range, or "
    "options that contradict each other.\n"
    ".TP\n.B 130\nInterrupted. If training had begun, the model so far was "
    "written.\n";

ManPage CommandPage(Command* command) {
  const std::string name = PageName(*command);
  const OptionSet options = DeclareOptions(command);
  std::string out = absl::StrCat(
      Title(name), ".SH NAME\n", Escape(name), " \\- ",
      Escape(command->text().summary), "\n.SH SYNOPSIS\n.B firth ",
      command->text().name, "\n", Escape(command->text().synopsis),
      "\n.SH DESCRIPTION\n", RoffParagraphs(command->text().description));
  for (const OptionSection& section : options.sections()) {
    absl::StrAppend(&out, ".SH \"",
                    Escape(absl::AsciiStrToUpper(section.title)), "\"\n");
    for (const Option& option : section.options) {
      absl::StrAppend(&out, OptionEntry(option));
    }
  }
  return {name + ".1",
          absl::StrCat(out, kExitStatus, ".SH \"SEE ALSO\"\n.BR firth (1)\n")};
}

ManPage ProgramPage() {
  std::string out = absl::StrCat(
      Title("firth"), ".SH NAME\nfirth \\- ", Escape(kProgramSummary), "\n",
      ".SH SYNOPSIS\n.B firth\n.I COMMAND\n[OPTION...]\n", ".SH COMMANDS\n");
  for (const CommandGroup& group : CommandGroups()) {
    absl::StrAppend(&out, ".SS \"", Escape(group.title), "\"\n");
    for (const auto& command : group.commands) {
      absl::StrAppend(&out, ".TP\n.BR ", Escape(PageName(*command)), " (1)\n",
                      Escape(command->text().summary), "\n");
    }
  }
  return {"firth.1", absl::StrCat(out, kExitStatus)};
}

}  // namespace

std::vector<ManPage> ManPages() {
  std::vector<ManPage> pages = {ProgramPage()};
  for (const auto& command : AllCommands()) {
    pages.push_back(CommandPage(command.get()));
  }
  return pages;
}

}  // namespace firth::tools
