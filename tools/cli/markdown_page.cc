#include "cli/markdown_page.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "cli/help_text.h"
#include "commands.h"

namespace firth::tools {
namespace {

constexpr absl::string_view kHead =
    "# Commands and options\n"
    "\n"
    "`firth help --markdown` generates this page. An option with a range or a "
    "default value\n"
    "shows them in parentheses.\n";

// Escapes the characters that Markdown would interpret.
std::string Escape(absl::string_view text) {
  return absl::StrReplaceAll(
      text,
      {{"\\", "\\\\"}, {"<", "\\<"}, {"*", "\\*"}, {"_", "\\_"}, {"|", "\\|"}});
}

std::string DescriptionText(absl::string_view description) {
  std::string out;
  for (const absl::string_view paragraph :
       absl::StrSplit(description, "\n\n")) {
    if (absl::StartsWith(paragraph, "  ")) {
      absl::StrAppend(
          &out, "\n    ",
          absl::StrReplaceAll(paragraph.substr(2), {{"\n", "\n  "}}), "\n");
    } else {
      absl::StrAppend(&out, "\n", Wrap(Escape(paragraph), 0));
    }
  }
  return out;
}

std::string OptionRow(const Option& option) {
  return absl::StrCat(
      "| `", absl::StrReplaceAll(OptionUsage(option), {{"|", "\\|"}}), "` | ",
      Escape(option.FullHelp(/*with_details=*/true)), " |\n");
}

std::string CommandText(Command* command) {
  const OptionSet options = DeclareOptions(command);
  std::string out = absl::StrCat("\n### firth ", command->name(), "\n\n",
                                 Escape(command->summary()), "\n\n    firth ",
                                 command->name(), " ", command->synopsis(),
                                 "\n", DescriptionText(command->description()));
  for (const OptionSection& section : options.sections()) {
    if (section.title == "Help") continue;
    absl::StrAppend(&out, "\n| ", Escape(section.title), " | |\n|---|---|\n");
    for (const Option& option : section.options) {
      absl::StrAppend(&out, OptionRow(option));
    }
  }
  return out;
}

}  // namespace

std::string MarkdownPage() {
  std::string out(kHead);
  for (const CommandGroup& group : CommandGroups()) {
    absl::StrAppend(&out, "\n## ", group.title, "\n");
    for (const auto& command : group.commands) {
      absl::StrAppend(&out, CommandText(command.get()));
    }
  }
  return out;
}

}  // namespace firth::tools
