// The help, the manual pages and the completions, over all commands.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/cli/documents.h"
#include "tools/commands.h"

namespace firth::tools {
namespace {

using testing::HasSubstr;

// Of a command's first page, description and all.
constexpr size_t kMostLines = 60;
constexpr size_t kMostEverydayOptions = 13;

size_t CountLines(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

// The lines that start an option's help.
size_t CountOptions(const std::string& help) {
  size_t count = 0;
  for (const std::string& line :
       std::vector<std::string>(absl::StrSplit(help, '\n'))) {
    count += absl::StartsWith(line, "      --") ||
             (absl::StartsWith(line, "  -") && absl::StrContains(line, ", --"));
  }
  return count;
}

TEST(DocumentsTest, TheFirstPageOfEveryCommandFitsAWindow) {
  for (const auto& command : AllCommands()) {
    SCOPED_TRACE(command->text().name);
    const OptionSet options = DeclareOptions(command.get());
    const std::string page = CommandHelp(*command, options, false);
    EXPECT_LE(CountLines(page), kMostLines);
    const std::string all = CommandHelp(*command, options, true);
    if (page == all) continue;
    EXPECT_LE(CountOptions(page), kMostEverydayOptions);
    EXPECT_THAT(page, HasSubstr(absl::StrCat("\"firth ", command->text().name,
                                             " --help=all\" describes all ",
                                             CountOptions(all), " options")));
  }
}

TEST(DocumentsTest, OptionsAreOnTheFirstPageWhereTheirDeclarationSaysSo) {
  for (const auto& command : AllCommands()) {
    const OptionSet options = DeclareOptions(command.get());
    const std::string page = CommandHelp(*command, options, false);
    const std::string all = CommandHelp(*command, options, true);
    for (const OptionSection& section : options.sections()) {
      for (const Option& option : section.options) {
        const std::string usage = absl::StrCat("  ", OptionUsage(option));
        EXPECT_THAT(all, HasSubstr(usage)) << command->text().name;
        EXPECT_EQ(absl::StrContains(page, usage),
                  page == all || option.everyday)
            << command->text().name << usage;
      }
    }
  }
}

TEST(DocumentsTest, NewUsersOfTrainSeeHowToSplitPunctuation) {
  for (const auto& command : AllCommands()) {
    if (command->text().name != "train") continue;
    const OptionSet options = DeclareOptions(command.get());
    EXPECT_THAT(CommandHelp(*command, options, false),
                HasSubstr("--split-punctuation"));
    EXPECT_THAT(
        options.Find("negative")->FullHelp(),
        HasSubstr("(only with --loss ns or nce; 1 to 1000; default 5)"));
  }
}

// The form of an option's text: a verb in the imperative, "number of",
// "maximum", "path to"... and no riddles such as "0: all".
TEST(DocumentsTest, OptionTextsAreInPlainEnglish) {
  for (const auto& command : AllCommands()) {
    const OptionSet options = DeclareOptions(command.get());
    for (const Option* option : options.All()) {
      const std::string text = option->FullHelp();
      EXPECT_FALSE(absl::StartsWithIgnoreCase(text, "of ")) << text;
      EXPECT_FALSE(absl::StartsWithIgnoreCase(text, "at the ")) << text;
      for (const std::string word :
           {"0: ", " told", " tells", " else", "neighbour", " stands"}) {
        EXPECT_FALSE(absl::StrContains(text, word)) << text;
      }
    }
  }
}

TEST(DocumentsTest, ThreadsHaveOneMaximum) {
  size_t commands = 0;
  for (const auto& command : AllCommands()) {
    OptionSet options = DeclareOptions(command.get());
    if (options.Find("threads") == nullptr) continue;
    ++commands;
    EXPECT_THAT(std::string(options.Parse({"--threads", "1025"}).message()),
                HasSubstr("0 to 1024"))
        << command->text().name;
  }
  EXPECT_GT(commands, 15u);
}

TEST(DocumentsTest, TheProgramsHelpHasEachCommandOnceInItsGroup) {
  const std::string help = ProgramHelp();
  std::set<absl::string_view> names;
  for (const CommandGroup& group : CommandGroups()) {
    EXPECT_THAT(help, HasSubstr(absl::StrCat("\n\n", group.title, ":\n")));
    for (const auto& command : group.commands) {
      EXPECT_TRUE(names.insert(command->text().name).second)
          << command->text().name;
      EXPECT_THAT(help,
                  HasSubstr(absl::StrCat("\n  ", command->text().name, " ")));
    }
  }
}

TEST(DocumentsTest, EveryCommandHasAManualPageWithItsOptions) {
  const std::vector<ManPage> pages = ManPages();
  const auto commands = AllCommands();
  ASSERT_EQ(pages.size(), commands.size() + 1);
  EXPECT_EQ(pages[0].file, "firth.1");
  for (size_t i = 0; i < commands.size(); ++i) {
    const ManPage& page = pages[i + 1];
    const std::string name = absl::StrCat(
        "firth-", absl::StrReplaceAll(commands[i]->text().name, {{" ", "-"}}));
    EXPECT_EQ(page.file, name + ".1");
    const std::string listed = absl::StrReplaceAll(name, {{"-", "\\-"}});
    EXPECT_THAT(pages[0].text, HasSubstr(absl::StrCat(".BR ", listed, " (1)")));
    const OptionSet options = DeclareOptions(commands[i].get());
    for (const OptionSection& section : options.sections()) {
      for (const Option& option : section.options) {
        EXPECT_THAT(page.text, HasSubstr(absl::StrReplaceAll("--" + option.name,
                                                             {{"-", "\\-"}})));
      }
    }
  }
}

TEST(DocumentsTest, CompletionsHaveEveryCommandAndOption) {
  const std::string zsh = ZshCompletion();
  const std::string fish = FishCompletion();
  const std::string bash = BashCompletion();
  for (const auto& command : AllCommands()) {
    const std::string name(command->text().name);
    EXPECT_THAT(bash, HasSubstr(absl::StrCat("\"", name, "\")")));
    EXPECT_THAT(zsh, HasSubstr(absl::StrCat("'", name, "')")));
    const OptionSet options = DeclareOptions(command.get());
    for (const OptionSection& section : options.sections()) {
      for (const Option& option : section.options) {
        EXPECT_THAT(bash, HasSubstr("--" + option.name));
        EXPECT_THAT(zsh, HasSubstr("--" + option.name + "["));
        EXPECT_THAT(fish, HasSubstr(absl::StrCat("'__firth_at ", name, "' -l ",
                                                 option.name, " ")));
      }
    }
  }
}

TEST(DocumentsTest, HelpIsFoundWhereverItIsAskedFor) {
  struct Case {
    std::vector<std::string> arguments;
    HelpWanted wanted;
  };
  for (const Case& asked : {Case{{"--dim", "5"}, HelpWanted::kNone},
                            Case{{"--dim", "5", "-h"}, HelpWanted::kEveryday},
                            Case{{"--help"}, HelpWanted::kEveryday},
                            Case{{"--help", "5"}, HelpWanted::kEveryday},
                            Case{{"--help", "all"}, HelpWanted::kAll},
                            Case{{"all", "--help=all"}, HelpWanted::kAll},
                            Case{{"--", "--help"}, HelpWanted::kNone}}) {
    const auto found = FindHelp(asked.arguments);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(*found, asked.wanted);
  }
  EXPECT_THAT(std::string(FindHelp({"--help=more"}).status().message()),
              HasSubstr("the value can only be all, found \"more\""));
}

}  // namespace
}  // namespace firth::tools
